#include "features/feature_store_writer.h"

#include "base/error.h"

namespace qanat {

FeatureStoreWriter::FeatureStoreWriter(const FeatureFolderLock& lock,
                                       const ShardSettings& settings,
                                       Bytes shard_limit)
    : lock_(lock), settings_(settings), shard_limit_(shard_limit) {
  lock_.remove_leftovers();
  const std::vector<ShardFile> present = list_shards(lock_.folder());
  next_number_ = present.empty() ? 0 : present.back().number + 1;
}

void FeatureStoreWriter::begin_shard() {
  shard_.emplace(shard_path(lock_.folder(), next_number_), settings_);
  ++next_number_;
}

void FeatureStoreWriter::add(const FeatureRecord& record) {
  if (shard_ && shard_->num_entries() > 0 && shard_->size() + shard_->cost(record) > shard_limit_) {
    finish();
  }
  if (!shard_) {
    begin_shard();
  }
  shard_->add(record);
}

void FeatureStoreWriter::finish() {
  if (!shard_) {
    return;
  }
  shard_->commit();
  bytes_ += shard_->size();
  num_entries_ += static_cast<std::int64_t>(shard_->num_entries());
  ++num_shards_;
  shard_.reset();
}

}  // namespace qanat
