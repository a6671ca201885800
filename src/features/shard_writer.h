// Writes one shard. It appears under its name whole, on commit(), or not at all; see AtomicFile.
// Used from one thread. Throws Error when the disk refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "features/shard_format.h"

namespace qanat {

// One utterance on its way into a shard.
struct FeatureRecord {
  std::string_view id;
  FeatureKey key;
  std::span<const float> mel;  // [frames, mel_bins]
  std::span<const std::int32_t> tokens;
};

class ShardWriter {
 public:
  ShardWriter(const std::filesystem::path& path, const ShardSettings& settings);

  void add(const FeatureRecord& record);
  void commit();

  std::size_t num_entries() const { return records_.size(); }
  // Of the file, were it committed now.
  Bytes size() const;
  // What add() would make the file larger by.
  Bytes cost(const FeatureRecord& record) const;

 private:
  std::uint32_t frames_of(const FeatureRecord& record) const;

  ShardSettings settings_;
  AtomicFile file_;
  std::uint64_t offset_ = 0;
  std::vector<ShardRecord> records_;
  std::string ids_;
  std::vector<std::byte> block_;
};

}  // namespace qanat
