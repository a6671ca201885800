#include "features/feature_store.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "features/feature_store_folder.h"
#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"
#include "locale/messages/file_errors.h"
#include "locale/system_advice.h"

namespace qanat {
namespace {

Message state_message(FeatureState state) {
  switch (state) {
    case FeatureState::missing:
      return msg::features_missing{};
    case FeatureState::audio_changed:
      return msg::features_other_audio{};
    case FeatureState::text_changed:
      return msg::features_other_text{};
    case FeatureState::settings_changed:
      return msg::features_other_settings{};
    case FeatureState::damaged:
      return msg::features_damaged{};
    case FeatureState::fresh:
      break;
  }
  return {};
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
  const std::vector<ShardFile> shards = list_shards(folder);
  make_room_for_open_files(shards.size());
  for (const ShardFile& shard : shards) {
    store.add_shard(shard.path);
  }
  return store;
}

void FeatureStore::refuse(const std::filesystem::path& path, const Failure& failure) {
  if (failure.trouble) {
    refused_.push_back({.path = path,
                        .reason = failure.what,
                        .kind = RefusedShard::Kind::unreadable,
                        .error = failure.trouble->error});
  } else {
    refused_.push_back(
        {.path = path, .reason = fmt::format("{}: {}", path.string(), failure.what)});
  }
}

void FeatureStore::require_readable() const {
  const auto is_unreadable = [](const RefusedShard& shard) {
    return shard.kind == RefusedShard::Kind::unreadable;
  };
  const auto first = std::ranges::find_if(refused_, is_unreadable);
  if (first == refused_.end()) {
    return;
  }
  const auto all = shards_.size() + refused_.size();
  const std::string folder = first->path.parent_path().string();
  throw MessageError(msg::shards_unreadable{
      .count = std::ranges::count_if(refused_, is_unreadable),
      .all = all,
      .reason = first->reason,
      .advice = first->error == EMFILE
                    ? Message(msg::shards_open_files{.limit = open_files_limit(),
                                                     .wanted = open_files_for(all)})
                    : system_advice(first->error, folder)});
}

void FeatureStore::add_shard(const std::filesystem::path& path) {
  Result<std::unique_ptr<ShardBytes>> bytes = open_shard_file(path);
  if (!bytes) {
    refuse(path, bytes.failure());
    return;
  }
  Result<ShardReader> reader = ShardReader::open(std::move(bytes).value());
  if (!reader) {
    refuse(path, reader.failure());
    return;
  }
  const std::size_t size = reader.value().size();
  shards_.push_back({.path = path,
                     .reader = std::move(reader).value(),
                     .damaged = std::make_unique<std::atomic<bool>[]>(size)});
  add_entries(static_cast<std::uint32_t>(shards_.size() - 1));
}

// Shards come in the order of their numbers: a later entry counts, unless it was made with other
// settings and the one before it was not.
void FeatureStore::add_entries(std::uint32_t shard) {
  const ShardReader& reader = shards_[shard].reader;
  entries_.reserve(entries_.size() + reader.size());
  for (std::size_t i = 0; i < reader.size(); ++i) {
    const ShardEntry entry = reader.entry(i);
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
  return shards_[entry.shard].reader.settings().fingerprint == fingerprint_;
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
  const FeatureKey stored = shard.reader.entry(found->second.index).key;
  if (stored.audio != key.audio) {
    return FeatureState::audio_changed;
  }
  if (stored.text_hash != key.text_hash) {
    return FeatureState::text_changed;
  }
  const bool is_damaged = shard.damaged[found->second.index].load(std::memory_order_relaxed);
  return is_damaged ? FeatureState::damaged : FeatureState::fresh;
}

Result<FeatureEntry> FeatureStore::lookup(std::string_view id, const FeatureKey& key) const {
  const FeatureState found = state(id, key);
  if (found != FeatureState::fresh) {
    return to_failure(
        msg::features_not_usable{.utterance = std::string(id), .state = state_message(found)});
  }
  return entries_.find(id)->second;
}

Result<Done> FeatureStore::noted(const FeatureEntry& entry, Result<Done> read) const {
  if (read) {
    return read;
  }
  if (read.failure().trouble) {  // what cannot be read now may be whole
    return read;
  }
  const Shard& shard = shards_[entry.shard];
  shard.damaged[entry.index].store(true, std::memory_order_relaxed);
  return to_failure(
      msg::features_damaged_entry{.shard = shard.path.string(),
                                  .utterance = std::string(shard.reader.entry(entry.index).id),
                                  .why = reason_of(read.failure())});
}

Result<Done> FeatureStore::read(const FeatureEntry& entry,
                                const FeatureRoom& room,
                                PageBuffer& scratch) const {
  const ShardReader& reader = shards_[entry.shard].reader;
  const std::size_t values =
      static_cast<std::size_t>(entry.frames.value) * reader.settings().mel_bins;
  const auto tokens = static_cast<std::size_t>(entry.tokens.value);
  if (room.mel.size() != values || room.tokens.size() != tokens) {
    return to_failure(
        msg::features_other_size{.utterance = std::string(reader.entry(entry.index).id),
                                 .values = values,
                                 .tokens = tokens,
                                 .expected_values = room.mel.size(),
                                 .expected_tokens = room.tokens.size()});
  }
  return noted(entry, reader.read(entry.index, room, scratch));
}

bool FeatureStore::intact(const FeatureEntry& entry, PageBuffer& scratch) const {
  const Result<Done> checked =
      noted(entry, shards_[entry.shard].reader.check(entry.index, scratch));
  if (!checked && checked.failure().trouble) {
    throw Error(checked.failure());
  }
  return checked.ok();
}

}  // namespace qanat
