#include "features/feature_store_folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/files.h"
#include "base/retry.h"
#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

constexpr std::string_view kPrefix = "shard-";
constexpr std::string_view kSuffix = ".qshard";

std::optional<std::uint32_t> shard_number(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) {
    return std::nullopt;
  }
  return number;
}

// The number of the shard that an unfinished file was to be.
std::optional<std::uint32_t> leftover_number(std::string_view name) {
  const std::size_t part = name.find(std::string(kSuffix) + ".part-");
  return part == name.npos ? std::nullopt : shard_number(name.substr(0, part + kSuffix.size()));
}

struct Listed {
  std::vector<std::filesystem::path> files;
  std::error_code error;
};

Listed list_once(const std::filesystem::path& folder) {
  Listed listed;
  for (std::filesystem::directory_iterator it(folder, listed.error), end;
       !listed.error && it != end;
       it.increment(listed.error)) {
    listed.files.push_back(it->path());
  }
  return listed;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  Listed listed = list_once(folder);
  for (int attempt = 0; listed.error && pause_before_retry(attempt, listed.error.value());
       ++attempt) {
    listed = list_once(folder);
  }
  auto& [files, error] = listed;
  const bool is_absent = error == std::errc::no_such_file_or_directory;
  if (error && !is_absent) {
    throw MessageError(
        to_message({.path = folder.string(), .action = FileAction::read, .error = error.value()}));
  }
  return files;
}

}  // namespace

std::filesystem::path shard_path(const std::filesystem::path& folder, std::uint32_t number) {
  return folder / fmt::format("{}{:06}{}", kPrefix, number, kSuffix);
}

std::vector<ShardFile> list_shards(const std::filesystem::path& folder) {
  std::vector<ShardFile> shards;
  for (const std::filesystem::path& file : files_in(folder)) {
    if (const auto number = shard_number(file.filename().string())) {
      shards.push_back({.path = file, .number = *number});
    }
  }
  std::ranges::sort(shards, {}, &ShardFile::number);
  return shards;
}

namespace {

// `how` is LOCK_EX or LOCK_SH.
UniqueFd lock_file(const std::filesystem::path& folder, const std::string& name, int how) {
  const std::filesystem::path path = folder / name;
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) {
    throw MessageError(to_message(
        {.path = path.string(), .action = FileAction::create, .error = errno, .flag = "--out"}));
  }
  if (::flock(fd.get(), how | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      throw MessageError(msg::features_busy{.folder = folder.string()});
    }
    throw MessageError(to_message(
        {.path = folder.string(), .action = FileAction::lock, .error = errno, .flag = "--out"}));
  }
  return fd;
}

}  // namespace

FeatureFolderLock FeatureFolderLock::acquire(const std::filesystem::path& folder,
                                             FolderShare share) {
  make_folders(folder, "--out");
  std::vector<UniqueFd> fds;
  fds.push_back(lock_file(folder, ".lock", share.world == 1 ? LOCK_EX : LOCK_SH));
  if (share.world > 1) {
    fds.push_back(lock_file(folder, fmt::format(".lock-{}", share.rank), LOCK_EX));
  }
  return {folder, share, std::move(fds)};
}

std::size_t FeatureFolderLock::remove_leftovers() const {
  std::size_t removed = 0;
  for (const std::filesystem::path& file : files_in(folder_)) {
    std::error_code error;
    const std::optional<std::uint32_t> number = leftover_number(file.filename().string());
    if (number && share_.has(*number) && std::filesystem::remove(file, error)) {
      ++removed;
    }
  }
  return removed;
}

std::uint32_t FeatureFolderLock::next_number(std::optional<std::uint32_t> last) const {
  std::uint32_t number = last ? *last + 1 : 0;
  while (!share_.has(number)) {
    ++number;
  }
  return number;
}

}  // namespace qanat
