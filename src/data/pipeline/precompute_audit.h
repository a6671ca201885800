// Compares a feature store with a data set: what is fresh, what is stale, damaged or missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "dataset/dataset_index.h"
#include "dataset/manifest.h"
#include "features/feature_store.h"

namespace qanat {

struct FeatureAudit {
  // One per utterance of the manifest. Nothing: the utterance itself cannot be used, the index
  // says why.
  std::vector<std::optional<FeatureState>> states = {};
  std::vector<std::string> orphans = {};  // ids with an entry that the manifest does not have
  std::vector<FeatureStore::RefusedShard> refused = {};
  // Shards with fewer than half of their entries worth keeping, and those entries.
  std::vector<std::filesystem::path> spent = {};
  std::vector<FeatureEntry> carried = {};

  std::int64_t count(FeatureState state) const;
  // Everything usable is fresh and no shard is damaged.
  bool ok() const;
};

struct AuditOptions {
  std::optional<MelDtype> dtype = std::nullopt;  // entries of another one count as stale
  ProgressFn progress = {};
  std::stop_token stop = {};
};

// Reads every entry that looks fresh and checks its checksum. Nothing when stopped. Throws Error
// where a shard cannot be read: what it holds is not known.
std::optional<FeatureAudit> audit_features(const FeatureStore& store,
                                           const Manifest& manifest,
                                           const DatasetIndex& index,
                                           const AuditOptions& options = {});

// What an entry for this utterance has to be made from.
FeatureKey feature_key(const Utterance& utterance, const IndexEntry& entry);

}  // namespace qanat
