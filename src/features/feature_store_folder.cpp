#include "features/feature_store_folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"

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

bool is_leftover(std::string_view name) {
  return name.starts_with(kPrefix) && name.find(std::string(kSuffix) + ".part-") != name.npos;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    files.push_back(it->path());
  }
  const bool is_absent = error == std::errc::no_such_file_or_directory;
  if (error && !is_absent) {
    throw Error("{}: cannot list precomputed features: {}", folder.string(), error.message());
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

FeatureFolderLock FeatureFolderLock::acquire(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error("{}: cannot create: {}; try another --out", folder.string(), error.message());
  }
  const std::filesystem::path path = folder / ".lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) {
    throw Error("{}: cannot create: {}; try another --out", path.string(), std::strerror(errno));
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      throw Error("{}: another process writes features here; wait for it, or try another --out",
                  folder.string());
    }
    throw Error("{}: cannot lock: {}; try another --out", folder.string(), std::strerror(errno));
  }
  return {folder, std::move(fd)};
}

std::size_t FeatureFolderLock::remove_leftovers() const {
  std::size_t removed = 0;
  for (const std::filesystem::path& file : files_in(folder_)) {
    std::error_code error;
    if (is_leftover(file.filename().string()) && std::filesystem::remove(file, error)) {
      ++removed;
    }
  }
  return removed;
}

}  // namespace qanat
