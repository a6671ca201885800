// Precomputed mel and tokens, read from the shards of a folder.
//
// Open once, share between all threads: every method is const and thread-safe. An entry is
// checked against its checksum whenever it is read; one that was found damaged is not tried again.
// What is stale or damaged is never handed out. The store does not see shards written after it was
// opened, and keeps those it has seen even when they are deleted.
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
#include "features/shard_reader.h"

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
    ShardReader reader;
    // One per entry: found damaged. Relaxed order will do: the flag publishes nothing.
    std::unique_ptr<std::atomic<bool>[]> damaged;
  };
  struct RefusedShard {
    // Nothing is known of what is unreadable: it may be whole.
    enum class Kind { unreadable, damaged };

    std::filesystem::path path;
    std::string reason;
    Kind kind = Kind::damaged;
    int error = 0;  // errno of what is unreadable; 0: it is no regular file
  };

  // `fingerprint` says which settings are wanted now. A folder that does not exist is an empty
  // store; a shard that cannot be used is in refused(). Throws Error if the folder cannot be read.
  static FeatureStore open(const std::filesystem::path& folder, std::uint64_t fingerprint);

  // For those who replace or remove what is not usable: throws Error, with errno and remedy, if a
  // shard is unreadable.
  void require_readable() const;

  // The entry if it is fresh, else why not. Does not read the entry's bytes.
  Result<FeatureEntry> lookup(std::string_view id, const FeatureKey& key) const;
  // As lookup(), for those who count. `damaged` only if that was found out before.
  FeatureState state(std::string_view id, const FeatureKey& key) const;

  // Half precision is widened. Fails on damage, which may leave anything in the room. `scratch` is
  // the caller's, to be used again.
  Result<Done> read(const FeatureEntry& entry, const FeatureRoom& room, PageBuffer& scratch) const;
  // Reads an entry only to check it. Throws Error where the system refuses to read it.
  bool intact(const FeatureEntry& entry, PageBuffer& scratch) const;

  // Utterances with an entry, fresh or not.
  std::size_t size() const { return entries_.size(); }
  std::uint64_t fingerprint() const { return fingerprint_; }
  const std::vector<Shard>& shards() const { return shards_; }
  const std::vector<RefusedShard>& refused() const { return refused_; }
  // The entry that counts for each utterance, by id. The ids live in the readers.
  const std::unordered_map<std::string_view, FeatureEntry>& entries() const { return entries_; }

 private:
  explicit FeatureStore(std::uint64_t fingerprint) : fingerprint_(fingerprint) {}

  void add_shard(const std::filesystem::path& path);
  void refuse(const std::filesystem::path& path, const Failure& failure);
  void add_entries(std::uint32_t shard);
  bool is_current(const FeatureEntry& entry) const;
  // Remembers what is damaged, and says where.
  Result<Done> noted(const FeatureEntry& entry, Result<Done> read) const;

  std::uint64_t fingerprint_ = 0;
  std::vector<Shard> shards_;
  std::vector<RefusedShard> refused_;
  std::unordered_map<std::string_view, FeatureEntry> entries_;
};

}  // namespace qanat
