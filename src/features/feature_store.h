// Precomputed mel and tokens, read from the shards of a folder through memory mappings.
//
// Open once, share between all threads: every method is const and thread-safe. An entry is
// checked against its checksum the first time it is used; after that reading it is a copy out of
// the page cache. What is stale or damaged is never handed out. The store does not see shards
// written after it was opened, and keeps those it has seen even when they are deleted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files.h"
#include "base/quantity.h"
#include "base/result.h"
#include "features/shard_format.h"
#include "features/shard_view.h"

namespace qanat {

enum class FeatureState {
  fresh,
  missing,           // no entry for this utterance
  audio_changed,     // made from another version of the audio file
  text_changed,      // made from another text
  settings_changed,  // made with other feature or text settings
  damaged,           // the bytes are not those that were written
};

// For messages: "made from another version of the audio file".
std::string_view to_string(FeatureState state);

// Where an entry is and how long. A value; of use only with the store it came from.
struct FeatureEntry {
  std::uint32_t shard = 0;
  std::uint32_t index = 0;
  FrameCount frames;
  TokenCount tokens;
};

class FeatureStore {
 public:
  struct Shard {
    std::filesystem::path path;
    MappedFile file;
    ShardView view;
    // One per entry, a CheckState. Relaxed order will do: the flag publishes nothing, the bytes
    // behind it never change.
    std::unique_ptr<std::atomic<std::uint8_t>[]> checks;
  };
  struct RefusedShard {
    std::filesystem::path path;
    std::string reason;
  };

  // `fingerprint` says which settings are wanted now. A folder that does not exist is an empty
  // store; a shard that cannot be used is in refused(). Throws Error if the folder cannot be read.
  static FeatureStore open(const std::filesystem::path& folder, std::uint64_t fingerprint);

  // The entry if it is fresh, else why not. Does not read the entry's bytes.
  Result<FeatureEntry> lookup(std::string_view id, const FeatureKey& key) const;
  // As lookup(), for those who count. `damaged` only if that was found out before.
  FeatureState state(std::string_view id, const FeatureKey& key) const;

  // Reads and checks the bytes of an entry, once.
  bool intact(const FeatureEntry& entry) const;
  // Into `out` [frames, mel_bins]; half precision is widened. Fails on damage.
  Result<Done> copy_mel(const FeatureEntry& entry, std::span<float> out) const;
  // Valid as long as the store. Fails on damage.
  Result<std::span<const std::int32_t>> tokens(const FeatureEntry& entry) const;

  // Utterances with an entry, fresh or not.
  std::size_t size() const { return entries_.size(); }
  std::uint64_t fingerprint() const { return fingerprint_; }
  const std::vector<Shard>& shards() const { return shards_; }
  const std::vector<RefusedShard>& refused() const { return refused_; }
  // The entry that counts for each utterance, by id. The ids live in the mappings.
  const std::unordered_map<std::string_view, FeatureEntry>& entries() const { return entries_; }

 private:
  explicit FeatureStore(std::uint64_t fingerprint) : fingerprint_(fingerprint) {}

  void add_shard(const std::filesystem::path& path);
  void add_entries(std::uint32_t shard);
  bool is_current(const FeatureEntry& entry) const;
  Failure damage(const FeatureEntry& entry) const;

  std::uint64_t fingerprint_ = 0;
  std::vector<Shard> shards_;
  std::vector<RefusedShard> refused_;
  std::unordered_map<std::string_view, FeatureEntry> entries_;
};

}  // namespace qanat
