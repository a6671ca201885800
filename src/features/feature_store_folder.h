// The folder a feature store lives in: which of its files are shards, who may write.
#pragma once

#include <cstdint>
#include <filesystem>
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

// The right to write into a folder, held by one process at a time and given up when destroyed or
// when the process dies. Readers need none. Owner, move-only.
class FeatureFolderLock {
 public:
  // Creates the folder. Throws Error when it cannot, or when another process holds the lock.
  static FeatureFolderLock acquire(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  // Deletes the unfinished files of writers that were killed; returns how many there were.
  std::size_t remove_leftovers() const;

 private:
  FeatureFolderLock(std::filesystem::path folder, UniqueFd fd)
      : folder_(std::move(folder)), fd_(std::move(fd)) {}

  std::filesystem::path folder_;
  UniqueFd fd_;
};

}  // namespace qanat
