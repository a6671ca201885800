#include "features/shard_bytes.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/files.h"

namespace qanat {
namespace {

// Other files a process has open: the journal, data files being read, devices.
constexpr std::size_t kOtherFiles = 256;

Failure shard_cannot(const char* verb, const std::filesystem::path& path) {
  return Failure{fmt::format("{}: cannot {}: {}", path.string(), verb, std::strerror(errno))};
}

std::size_t num_open_files() {
  std::error_code error;
  std::size_t count = 0;
  using Folder = std::filesystem::directory_iterator;
  for (Folder file("/proc/self/fd", error); !error && file != Folder(); file.increment(error)) {
    ++count;
  }
  return count;
}

iovec to_iovec(std::span<std::byte> bytes, std::size_t skip) {
  const std::size_t skipped = skip < bytes.size() ? skip : bytes.size();
  return {.iov_base = bytes.data() + skipped, .iov_len = bytes.size() - skipped};
}

class ShardOnDisk : public ShardBytes {
 public:
  ShardOnDisk(UniqueFd fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

  std::uint64_t size() const override { return size_; }

  Result<Done> read(std::uint64_t offset,
                    std::span<std::byte> first,
                    std::span<std::byte> second) const override {
    std::size_t filled = 0;
    while (filled < first.size() + second.size()) {
      const std::size_t into_second = filled > first.size() ? filled - first.size() : 0;
      const std::array<iovec, 2> parts = {to_iovec(first, filled), to_iovec(second, into_second)};
      const ssize_t got = ::preadv(fd_.get(), parts.data(), 2, static_cast<off_t>(offset + filled));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return Failure{fmt::format("cannot read: {}", std::strerror(errno))};
      }
      if (got == 0) {
        return Failure{"the file has become shorter since it was opened"};
      }
      filled += static_cast<std::size_t>(got);
    }
    return Done{};
  }

 private:
  const UniqueFd fd_;
  const std::uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<ShardBytes>> open_shard_file(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return shard_cannot("open", path);
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return shard_cannot("stat", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return Failure{fmt::format("{}: not a regular file", path.string())};
  }
  return std::unique_ptr<ShardBytes>(
      std::make_unique<ShardOnDisk>(std::move(fd), static_cast<std::uint64_t>(status.st_size)));
}

void make_room_for_open_files(std::size_t count) {
  rlimit limit{};
  const rlim_t wanted = num_open_files() + count + kOtherFiles;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

}  // namespace qanat
