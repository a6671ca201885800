// The folder a feature store lives in: which of its files are shards, who may write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/files.h"

namespace qanat {

// Shards are numbered; of two entries for one utterance the one in the higher number counts.
struct ShardFile {
  std::filesystem::path path;
  std::uint32_t number = 0;
};

std::filesystem::path shard_path(const std::filesystem::path& folder, std::uint32_t number);

// By number. A folder that does not exist has none.
std::vector<ShardFile> list_shards(const std::filesystem::path& folder);

// Which of several processes that fill a folder together this one is.
struct FolderShare {
  int rank = 0;
  int world = 1;

  bool has(std::uint64_t number) const {
    return number % static_cast<std::uint64_t>(world) == static_cast<std::uint64_t>(rank);
  }
};

// The right to write into a folder, held by one process at a time, or by one of each rank, and
// given up when destroyed or when the process dies. Readers need none. Owner, move-only.
class FeatureFolderLock {
 public:
  // Creates the folder. Throws Error when it cannot, or when another process holds the lock.
  static FeatureFolderLock acquire(const std::filesystem::path& folder, FolderShare share = {});

  const std::filesystem::path& folder() const { return folder_; }
  // Deletes the unfinished files of writers that were killed; returns how many there were. Those
  // with numbers of other ranks may be at work.
  std::size_t remove_leftovers() const;
  // The first number above `last` that no other rank takes.
  std::uint32_t next_number(std::optional<std::uint32_t> last) const;

 private:
  FeatureFolderLock(std::filesystem::path folder, FolderShare share, std::vector<UniqueFd> fds)
      : folder_(std::move(folder)), share_(share), fds_(std::move(fds)) {}

  std::filesystem::path folder_;
  FolderShare share_;
  std::vector<UniqueFd> fds_;
};

}  // namespace qanat
