// Adds entries to the shards of a folder: a new shard is begun when the one in work is full.
//
// A shard is seen by readers only when it is whole. Destroyed before finish(), the shard in work
// vanishes and those before it stay. Used from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/quantity.h"
#include "features/feature_store_folder.h"
#include "features/shard_writer.h"

namespace qanat {

// A stop drops the shard in work, and a full one is synced before the writer goes on: small
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
