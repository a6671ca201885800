#include "audio/audio_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/retry.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"
#include "locale/messages/file_errors.h"

namespace qanat {
namespace {

constexpr std::size_t kPage = 4096;

// What errno says.
Failure not_opened() {
  return to_failure(msg::cannot_open{.reason = system_reason(errno)});
}

}  // namespace

Result<AudioFile> open_audio_file(const std::filesystem::path& path) {
  UniqueFd fd(retry_call([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (!fd) {
    return not_opened();
  }
  struct stat status {};
  if (retry_call([&] { return ::fstat(fd.get(), &status); }) != 0) {
    return not_opened();
  }
  if (S_ISDIR(status.st_mode)) {
    return to_failure(msg::audio_is_a_folder{});
  }
  if (!S_ISREG(status.st_mode)) {
    return to_failure(msg::audio_irregular{});
  }
  if (status.st_size == 0) {
    return to_failure(msg::audio_empty{});
  }
  return AudioFile{.fd = std::move(fd), .size = Bytes{status.st_size}};
}

Result<AudioFile> open_audio_memory(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return to_failure(msg::audio_empty{});
  }
  return AudioFile{.size = Bytes{static_cast<std::int64_t>(bytes.size())}, .memory = bytes};
}

Result<std::size_t> read_at(const AudioFile& file, Bytes offset, std::span<std::byte> out) {
  if (!file.memory.empty()) {
    const auto begin = std::min(static_cast<std::size_t>(offset.value), file.memory.size());
    const std::size_t count = std::min(out.size(), file.memory.size() - begin);
    std::copy_n(file.memory.begin() + static_cast<std::ptrdiff_t>(begin), count, out.begin());
    return count;
  }
  if (file.begin.value > 0) {  // what follows the clip is another one
    const std::int64_t left = std::max<std::int64_t>(0, (file.size - offset).value);
    out = out.first(std::min(out.size(), static_cast<std::size_t>(left)));
  }
  std::size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = retry_call([&] {
      return ::pread(file.fd.get(),
                     out.data() + filled,
                     out.size() - filled,
                     file.begin.value + offset.value + static_cast<off_t>(filled));
    });
    if (got < 0) {
      return to_failure(msg::cannot_read{.reason = system_reason(errno)});
    }
    if (got == 0) {
      break;
    }
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

void PageBuffer::Free::operator()(std::byte* block) const {
  std::free(block);  // NOLINT(cppcoreguidelines-no-malloc): pairs with aligned_alloc
}

std::span<std::byte> PageBuffer::room(std::size_t size) {
  if (size > capacity_) {
    release();
    const std::size_t rounded = (size + size / 4 + kPage - 1) / kPage * kPage;
    block_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, rounded)));
    if (!block_) {
      throw std::bad_alloc();
    }
    capacity_ = rounded;
  }
  return {block_.get(), size};
}

void PageBuffer::release() {
  block_.reset();
  capacity_ = 0;
}

}  // namespace qanat
