// Which shards of a folder were read to their end and found whole: not every start of every process
// has to read all of them again. A shard that has changed since is not among them; what a disk
// spoils without a trace is found when it is read.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace qanat {

class VerifiedShards {
 public:
  // None, where the folder has no list that can be read.
  explicit VerifiedShards(std::filesystem::path folder);

  bool has(const std::filesystem::path& shard) const;
  // From now on these and no others, but for those that were written in the last seconds. A folder
  // that cannot be written keeps its list: shards are read once more then.
  void keep(const std::vector<std::filesystem::path>& shards);

 private:
  std::filesystem::path folder_;
  std::set<std::string, std::less<>> seals_;  // of name, length and time
};

}  // namespace qanat
