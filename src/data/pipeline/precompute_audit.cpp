#include "pipeline/precompute_audit.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "base/check.h"
#include "base/content_hash.h"

namespace qanat {
namespace {

// Fixture: one call of audit_features().
class Audit {
 public:
  Audit(const FeatureStore& store, const AuditOptions& options)
      : store_(store), options_(options), kept_(store.shards().size()) {}

  FeatureState check(std::string_view id, const FeatureKey& key) {
    const Result<FeatureEntry> entry = store_.lookup(id, key);
    if (!entry) {
      return store_.state(id, key);
    }
    if (options_.dtype && settings_of(entry.value()).dtype != *options_.dtype) {
      return FeatureState::settings_changed;
    }
    if (!store_.intact(entry.value(), scratch_)) {
      return FeatureState::damaged;
    }
    kept_[entry.value().shard].push_back(entry.value());
    return FeatureState::fresh;
  }

  // Orphans are kept: they may belong to another manifest that shares the folder.
  std::vector<std::string> find_orphans(const Manifest& manifest) {
    std::unordered_set<std::string_view> known;
    known.reserve(manifest.utterances.size());
    for (const Utterance& utterance : manifest.utterances) {
      known.insert(utterance.id);
    }
    std::vector<std::string> orphans;
    for (const auto& [id, entry] : store_.entries()) {
      if (!known.contains(id)) {
        orphans.emplace_back(id);
        if (settings_of(entry).fingerprint == store_.fingerprint()) {
          kept_[entry.shard].push_back(entry);
        }
      }
    }
    std::ranges::sort(orphans);
    return orphans;
  }

  void find_spent(FeatureAudit& found) {
    for (const FeatureStore::RefusedShard& shard : store_.refused()) {
      found.spent.push_back(shard.path);
    }
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i].size() * 2 < store_.shards()[i].reader.size()) {
        found.spent.push_back(store_.shards()[i].path);
        std::ranges::sort(kept_[i], {}, &FeatureEntry::index);
        std::ranges::copy(kept_[i], std::back_inserter(found.carried));
      }
    }
  }

 private:
  const ShardSettings& settings_of(const FeatureEntry& entry) const {
    return store_.shards()[entry.shard].reader.settings();
  }

  const FeatureStore& store_;
  const AuditOptions& options_;
  PageBuffer scratch_;
  std::vector<std::vector<FeatureEntry>> kept_;  // worth keeping, by shard
};

}  // namespace

std::int64_t FeatureAudit::count(FeatureState state) const {
  return std::ranges::count(states, std::optional(state));
}

bool FeatureAudit::ok() const {
  return refused.empty() && std::ranges::all_of(states, [](std::optional<FeatureState> state) {
           return !state || *state == FeatureState::fresh;
         });
}

FeatureKey feature_key(const Utterance& utterance, const IndexEntry& entry) {
  ContentHasher hasher;
  hasher.add(to_string(utterance.language)).add(utterance.text);
  // Keys from before views do not know them.
  if (utterance.kept) {
    hasher.add(utterance.kept->from.count()).add(utterance.kept->to.count());
  }
  return {.audio = entry.identity, .text_hash = hasher.value()};
}

std::optional<FeatureAudit> audit_features(const FeatureStore& store,
                                           const Manifest& manifest,
                                           const DatasetIndex& index,
                                           const AuditOptions& options) {
  const std::size_t count = manifest.utterances.size();
  QANAT_CHECK(index.entries.size() == count) << "an index of another manifest";
  store.require_readable();
  Audit audit(store, options);
  FeatureAudit found{.refused = store.refused()};
  found.states.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (options.stop.stop_requested()) {
      return std::nullopt;
    }
    if (options.progress) {
      options.progress(static_cast<std::int64_t>(i), static_cast<std::int64_t>(count));
    }
    const Utterance& utterance = manifest.utterances[i];
    if (index.entries[i].usable) {
      found.states[i] = audit.check(utterance.id, feature_key(utterance, index.entries[i]));
    }
  }
  found.orphans = audit.find_orphans(manifest);
  audit.find_spent(found);
  return found;
}

}  // namespace qanat
