#include "archive/random_access.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/retry.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"
#include "locale/messages/file_errors.h"

namespace qanat {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

bool is_inside(Bytes offset, std::size_t count, Bytes size) {
  return offset.value >= 0 && offset.value <= size.value &&
         static_cast<std::int64_t>(count) <= size.value - offset.value;
}

Failure ends_before(Bytes offset) {
  return to_failure(msg::container_ends{.offset = ungrouped(offset.value)});
}

}  // namespace

Result<FileAccess> FileAccess::open(const std::filesystem::path& path) {
  UniqueFd fd(retry_call([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  struct stat status {};
  if (!fd || retry_call([&] { return ::fstat(fd.get(), &status); }) != 0) {
    return to_failure(msg::cannot_open{.reason = system_reason(errno)});
  }
  if (!S_ISREG(status.st_mode)) {
    return to_failure(msg::container_no_file{});
  }
  const FileIdentity identity{
      .size = Bytes{status.st_size},
      .modified_ns = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
  return FileAccess(std::move(fd), identity);
}

Result<Done> FileAccess::read(Bytes offset, std::span<std::byte> out) const {
  if (!is_inside(offset, out.size(), identity_.size)) {
    return ends_before(offset);
  }
  return read_fully(fd_.get(), offset, out);
}

Result<Done> read_fully(int fd, Bytes offset, std::span<std::byte> out) {
  for (std::size_t filled = 0; filled < out.size();) {
    const ssize_t got = retry_call([&] {
      return ::pread(
          fd, out.data() + filled, out.size() - filled, offset.value + static_cast<off_t>(filled));
    });
    if (got < 0) {
      return to_failure(msg::cannot_read{.reason = system_reason(errno)});
    }
    if (got == 0) {
      return ends_before(offset);
    }
    filled += static_cast<std::size_t>(got);
  }
  return Done{};
}

Result<Done> MemoryAccess::read(Bytes offset, std::span<std::byte> out) const {
  if (!is_inside(offset, out.size(), size())) {
    return ends_before(offset);
  }
  std::copy_n(bytes_.begin() + offset.value, out.size(), out.begin());
  return Done{};
}

}  // namespace qanat
