// Adds entries to the shards of a folder; starts a new shard when the current one is full.
//
// Readers see a shard only when it is complete. Without finish(), the destructor drops the current
// shard and keeps the earlier ones. Used from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/quantity.h"
#include "features/feature_store_folder.h"
#include "features/shard_writer.h"

namespace qanat {

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

  // Of complete shards.
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
