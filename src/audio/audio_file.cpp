#include "audio/audio_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qanat {
namespace {

constexpr std::size_t kPage = 4096;

Failure cannot(const char* verb) {
  return Failure{fmt::format("cannot {}: {}", verb, std::strerror(errno))};
}

}  // namespace

Result<AudioFile> open_audio_file(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return cannot("open");
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return cannot("stat");
  }
  if (S_ISDIR(status.st_mode)) {
    return Failure{"is a folder; expected an audio file"};
  }
  if (!S_ISREG(status.st_mode)) {
    return Failure{"not a regular file; expected an audio file"};
  }
  if (status.st_size == 0) {
    return Failure{"empty file: 0 bytes"};
  }
  return AudioFile{.fd = std::move(fd), .size = Bytes{status.st_size}};
}

Result<std::size_t> read_at(const AudioFile& file, Bytes offset, std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = ::pread(file.fd.get(),
                                out.data() + filled,
                                out.size() - filled,
                                offset.value + static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return cannot("read");
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
