// Adds entries to the shards of a folder; starts a new shard when the current one is full.
//
// Readers see a shard only when it is complete. Without finish(), the destructor drops the current
// shard and keeps the earlier ones. Used from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/quantity.h"
#include "features/feature_store_folder.h"
#include "features/shard_format.h"

namespace qanat {

// One utterance on its way into a shard.
struct FeatureRecord {
  std::string_view id;
  FeatureKey key;
  std::span<const float> mel;  // [frames, mel_bins]
  std::span<const std::int32_t> tokens;
};

// Writes one shard. It appears under its name whole, on commit(), or not at all; see AtomicFile.
// Used from one thread. Throws Error when the disk refuses.
class ShardWriter {
 public:
  ShardWriter(const std::filesystem::path& path, const ShardSettings& settings);

  void add(const FeatureRecord& record);
  void commit();

  std::size_t num_entries() const { return records_.size(); }
  // How large the file would be if it were committed now.
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

// A stop drops the current shard, and a full one is synced before the writer continues: small
// enough that neither takes long, large enough that a million utterances are a few thousand files.
inline constexpr Bytes kShardLimit = mebibytes(64);

class FeatureStoreWriter {
 public:
  // `lock` has to outlive the writer. Removes what killed writers left.
  FeatureStoreWriter(const FeatureFolderLock& lock,
                     const ShardSettings& settings,
                     Bytes shard_limit = kShardLimit);

  // A single entry larger than the limit gets a shard of its own. Throws Error when the disk
  // refuses; the shards before this one stay.
  void add(const FeatureRecord& record);
  void finish();

  // These count complete shards.
  std::size_t num_shards() const { return num_shards_; }
  std::int64_t num_entries() const { return num_entries_; }
  Bytes bytes() const { return bytes_; }

 private:
  void begin_shard();

  const FeatureFolderLock& lock_;
  ShardSettings settings_;
  Bytes shard_limit_;
  std::uint32_t next_number_ = 0;
  std::optional<ShardWriter> shard_;
  std::size_t num_shards_ = 0;
  std::int64_t num_entries_ = 0;
  Bytes bytes_;
};

}  // namespace qanat
