#include "store/block_cache.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "archive/random_access.h"
#include "base/content_hash.h"
#include "base/files.h"
#include "base/retry.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;  // ns
constexpr std::int64_t kOldTemporary = 3600 * kSecond;

struct BlockHeader {
  std::array<char, 8> magic = {'Q', 'A', 'N', 'A', 'T', 'B', 'L', 'K'};
  std::uint64_t object = 0;
  std::int64_t number = 0;
  std::int64_t size = 0;
  std::uint64_t checksum = 0;

  bool operator==(const BlockHeader&) const = default;
};
static_assert(std::is_trivially_copyable_v<BlockHeader> && sizeof(BlockHeader) == 40);

BlockHeader header_of(const BlockKey& key, std::span<const std::byte> bytes) {
  return {.object = key.object,
          .number = key.number,
          .size = std::ssize(bytes),
          .checksum = content_hash(bytes, key.object ^ static_cast<std::uint64_t>(key.number))};
}

std::int64_t nanoseconds_of(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
}

std::int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return nanoseconds_of(time);
}

UniqueFd open_block(const fs::path& path) {
  return UniqueFd(retry_call([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
}

// Reads all of it. Whether it is what was written.
bool is_intact(int fd, const BlockKey& key) {
  BlockHeader header;
  if (!read_fully(fd, Bytes{0}, std::as_writable_bytes(std::span(&header, 1))) ||
      header.size <= 0 || header.size > kStoreBlock) {
    return false;
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(header.size));
  return read_fully(fd, Bytes{sizeof(header)}, bytes) && header == header_of(key, bytes);
}

bool write_whole(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retry_call([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (written <= 0) {
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// A file of the cache.
struct KeptFile {
  fs::path path;
  std::int64_t size = 0;
  std::int64_t used_ns = 0;
};

std::vector<KeptFile> files_below(const fs::path& folder) {
  std::vector<KeptFile> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    struct stat status {};
    const std::string name = entry->path().filename().string();
    if (::lstat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      continue;
    }
    const std::int64_t used = nanoseconds_of(status.st_mtim);
    if (name.ends_with(".tmp") && now_ns() - used > kOldTemporary) {
      fs::remove(entry->path(), error);  // of a process that was killed
      error.clear();
    } else if (name.ends_with(".block")) {
      files.push_back({.path = entry->path(), .size = status.st_size, .used_ns = used});
    }
  }
  return files;
}

}  // namespace

BlockCache::BlockCache(BlockCacheOptions options) : options_(std::move(options)) {
  make_folders(options_.folder, "--set data.store_cache_dir");
  ::chmod(options_.folder.c_str(), S_IRWXU);  // what is in it may not be for everybody
  look_at_all(0);
}

fs::path BlockCache::path_of(const BlockKey& key) const {
  return options_.folder / fmt::format("{:016x}", key.object) /
         fmt::format("{:06x}.block", key.number);
}

bool BlockCache::read(const BlockKey& key, std::int64_t offset, std::span<std::byte> out) {
  const fs::path path = path_of(key);
  const UniqueFd fd = open_block(path);
  if (!fd) {
    return false;
  }
  bool is_known = false;
  {
    const std::lock_guard lock(mutex_);
    is_known = seen_.contains(key);
  }
  if (!is_known) {
    if (!is_intact(fd.get(), key)) {
      ::unlink(path.c_str());
      return false;
    }
    ::futimens(fd.get(), nullptr);  // used now
    const std::lock_guard lock(mutex_);
    seen_.insert(key);
  }
  return read_fully(fd.get(), Bytes{static_cast<std::int64_t>(sizeof(BlockHeader)) + offset}, out)
      .ok();
}

bool BlockCache::has(const BlockKey& key) const {
  return ::access(path_of(key).c_str(), F_OK) == 0;
}

bool BlockCache::is_free_on_disk(std::int64_t size) const {
  struct statvfs disk {};
  if (::statvfs(options_.folder.c_str(), &disk) != 0) {
    return false;
  }
  const auto free = static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
  return free - size >= options_.spare.value;
}

void BlockCache::look_at_all(std::int64_t size) {
  const UniqueFd lock(
      ::open((options_.folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock) {
    retry_call([&] { return ::flock(lock.get(), LOCK_EX); });  // one removes at a time
  }
  std::vector<KeptFile> files = files_below(options_.folder);
  std::ranges::sort(files, {}, &KeptFile::used_ns);
  const std::int64_t begun =
      std::chrono::duration_cast<std::chrono::nanoseconds>(options_.begun.time_since_epoch())
          .count();
  std::int64_t all = 0;
  for (const KeptFile& file : files) {
    all += file.size;
  }
  const std::int64_t aim = options_.budget.value - options_.budget.value / 32 - size;
  for (const KeptFile& file : files) {
    if (all <= aim || file.used_ns >= begun) {
      break;
    }
    if (::unlink(file.path.c_str()) == 0) {
      all -= file.size;
    }
  }
  used_ = all;
  unlooked_ = 0;
}

bool BlockCache::reserve(std::int64_t size) {
  const std::lock_guard lock(mutex_);
  const std::int64_t turn = std::max(options_.budget.value / 64, kStoreBlock);
  if (is_full_) {
    refused_ += size;
    if (refused_ < turn) {
      return false;
    }
  }
  if (used_ + size > options_.budget.value || unlooked_ > turn || is_full_) {
    look_at_all(size);
  }
  is_full_ = used_ + size > options_.budget.value || !is_free_on_disk(size);
  refused_ = 0;
  if (is_full_) {
    return false;
  }
  used_ += size;
  unlooked_ += size;
  return true;
}

void BlockCache::keep(const BlockKey& key, std::span<const std::byte> bytes) {
  const fs::path path = path_of(key);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path temporary = path.parent_path() / fmt::format("{}-{}-{}.tmp",
                                                              ::getpid(),
                                                              static_cast<const void*>(this),
                                                              written_.fetch_add(1));
  const BlockHeader header = header_of(key, bytes);
  bool is_written = false;
  {
    const UniqueFd fd(retry_call(
        [&] { return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); }));
    is_written = fd && write_whole(fd.get(), std::as_bytes(std::span(&header, 1))) &&
                 write_whole(fd.get(), bytes);
  }
  if (!is_written || ::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return;
  }
  const std::lock_guard lock(mutex_);
  seen_.insert(key);
}

Bytes BlockCache::used() const {
  const std::lock_guard lock(mutex_);
  return Bytes{used_};
}

}  // namespace qanat
