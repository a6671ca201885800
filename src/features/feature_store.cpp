#include "features/feature_store.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "features/feature_store_folder.h"
#include "features/half.h"

namespace qanat {
namespace {

enum CheckState : std::uint8_t { unchecked, found_intact, found_damaged };

void copy_values(std::span<const std::byte> mel, MelDtype dtype, std::span<float> out) {
  if (dtype == MelDtype::f32) {
    std::memcpy(out.data(), mel.data(), mel.size());
  } else {
    from_half({reinterpret_cast<const std::uint16_t*>(mel.data()), out.size()}, out);
  }
}

}  // namespace

std::string_view to_string(FeatureState state) {
  switch (state) {
    case FeatureState::fresh:
      return "fresh";
    case FeatureState::missing:
      return "not precomputed";
    case FeatureState::audio_changed:
      return "made from another version of the audio file";
    case FeatureState::text_changed:
      return "made from another text";
    case FeatureState::settings_changed:
      return "made with other settings";
    case FeatureState::damaged:
      return "damaged";
  }
  return "unknown";
}

FeatureStore FeatureStore::open(const std::filesystem::path& folder, std::uint64_t fingerprint) {
  FeatureStore store(fingerprint);
  for (const ShardFile& shard : list_shards(folder)) {
    store.add_shard(shard.path);
  }
  return store;
}

void FeatureStore::add_shard(const std::filesystem::path& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    refused_.push_back({.path = path, .reason = file.failure().what});
    return;
  }
  Result<ShardView> view = ShardView::open(file.value().bytes());
  if (!view) {
    refused_.push_back(
        {.path = path, .reason = fmt::format("{}: {}", path.string(), view.failure().what)});
    return;
  }
  const std::size_t size = view.value().size();
  shards_.push_back({.path = path,
                     .file = std::move(file).value(),
                     .view = view.value(),
                     .checks = std::make_unique<std::atomic<std::uint8_t>[]>(size)});
  add_entries(static_cast<std::uint32_t>(shards_.size() - 1));
}

// Shards come in the order of their numbers: a later entry counts, unless it was made with other
// settings and the one before it was not.
void FeatureStore::add_entries(std::uint32_t shard) {
  const ShardView& view = shards_[shard].view;
  entries_.reserve(entries_.size() + view.size());
  for (std::size_t i = 0; i < view.size(); ++i) {
    const ShardEntry entry = view.entry(i);
    const FeatureEntry found{.shard = shard,
                             .index = static_cast<std::uint32_t>(i),
                             .frames = entry.frames,
                             .tokens = entry.tokens};
    const auto [place, is_first] = entries_.try_emplace(entry.id, found);
    if (!is_first && (is_current(found) || !is_current(place->second))) {
      place->second = found;
    }
  }
}

bool FeatureStore::is_current(const FeatureEntry& entry) const {
  return shards_[entry.shard].view.settings().fingerprint == fingerprint_;
}

FeatureState FeatureStore::state(std::string_view id, const FeatureKey& key) const {
  const auto found = entries_.find(id);
  if (found == entries_.end()) {
    return FeatureState::missing;
  }
  if (!is_current(found->second)) {
    return FeatureState::settings_changed;
  }
  const Shard& shard = shards_[found->second.shard];
  const FeatureKey stored = shard.view.entry(found->second.index).key;
  if (stored.audio != key.audio) {
    return FeatureState::audio_changed;
  }
  if (stored.text_hash != key.text_hash) {
    return FeatureState::text_changed;
  }
  const bool is_damaged =
      shard.checks[found->second.index].load(std::memory_order_relaxed) == found_damaged;
  return is_damaged ? FeatureState::damaged : FeatureState::fresh;
}

Result<FeatureEntry> FeatureStore::lookup(std::string_view id, const FeatureKey& key) const {
  const FeatureState found = state(id, key);
  if (found != FeatureState::fresh) {
    return Failure{fmt::format("{}: {}", id, to_string(found))};
  }
  return entries_.find(id)->second;
}

bool FeatureStore::intact(const FeatureEntry& entry) const {
  const Shard& shard = shards_[entry.shard];
  std::atomic<std::uint8_t>& check = shard.checks[entry.index];
  const std::uint8_t known = check.load(std::memory_order_relaxed);
  if (known != unchecked) {
    return known == found_intact;
  }
  const bool is_intact = shard.view.intact(entry.index);
  check.store(is_intact ? found_intact : found_damaged, std::memory_order_relaxed);
  return is_intact;
}

Failure FeatureStore::damage(const FeatureEntry& entry) const {
  const Shard& shard = shards_[entry.shard];
  return Failure{fmt::format("{}: the entry of {} is damaged; try qanat precompute --repair",
                             shard.path.string(),
                             shard.view.entry(entry.index).id)};
}

Result<Done> FeatureStore::copy_mel(const FeatureEntry& entry, std::span<float> out) const {
  if (!intact(entry)) {
    return damage(entry);
  }
  const ShardView& view = shards_[entry.shard].view;
  const std::span<const std::byte> mel = view.mel(entry.index);
  const MelDtype dtype = view.settings().dtype;
  if (mel.size() != out.size() * element_size(dtype)) {
    return Failure{fmt::format("{}: {} mel values stored; expected {}",
                               view.entry(entry.index).id,
                               mel.size() / element_size(dtype),
                               out.size())};
  }
  copy_values(mel, dtype, out);
  return Done{};
}

Result<std::span<const std::int32_t>> FeatureStore::tokens(const FeatureEntry& entry) const {
  if (!intact(entry)) {
    return damage(entry);
  }
  return shards_[entry.shard].view.tokens(entry.index);
}

}  // namespace qanat
