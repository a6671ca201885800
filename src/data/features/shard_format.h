// The bytes of a shard: precomputed mel and tokens of many utterances in one file.
// docs/en/shard_format.md is the description; feature_store_writer.h and shard_reader.h are the two
// ends.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/files.h"

namespace qanat {

static_assert(std::endian::native == std::endian::little, "shards are little-endian");

enum class MelDtype : std::uint32_t { f32 = 0, f16 = 1 };

constexpr std::string_view to_string(MelDtype dtype) {
  return dtype == MelDtype::f32 ? "f32" : "f16";
}
constexpr std::size_t element_size(MelDtype dtype) {
  return dtype == MelDtype::f32 ? 4 : 2;
}

// What all entries of a shard have in common.
struct ShardSettings {
  std::uint64_t fingerprint = 0;  // features/feature_fingerprint.h
  MelDtype dtype = MelDtype::f32;
  std::uint32_t mel_bins = 80;

  bool operator==(const ShardSettings&) const = default;
};

// What an entry was made from. Another value means: stale.
struct FeatureKey {
  FileIdentity audio;
  std::uint64_t text_hash = 0;  // of language and text

  bool operator==(const FeatureKey&) const = default;
};

inline constexpr std::uint32_t kShardVersion = 1;
inline constexpr std::size_t kShardAlignment = 64;
inline constexpr std::uint32_t kMaxMelBins = 4096;
inline constexpr std::string_view kShardMagic = "QANATSHD";
inline constexpr std::string_view kShardEndMagic = "QANATEND";

constexpr std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment = kShardAlignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

struct ShardHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t dtype;
  std::uint32_t mel_bins;
  std::uint32_t reserved;  // zero
  std::uint64_t fingerprint;
  std::array<std::uint64_t, 3> reserved_too;  // zero
  std::uint64_t checksum;                     // of the bytes before it
};

struct ShardRecord {
  std::int64_t audio_size;
  std::int64_t audio_modified_ns;
  std::uint64_t text_hash;
  std::uint64_t offset;    // of the block, in the file
  std::uint64_t checksum;  // of the whole block, padding included
  std::uint32_t frames;
  std::uint32_t tokens;
  std::uint64_t id_offset;  // in the id bytes behind the records
  std::uint32_t id_size;
  std::uint32_t reserved;  // zero
};

struct ShardFooter {
  std::uint64_t index_offset;
  std::uint64_t num_entries;
  std::uint64_t id_bytes;
  std::uint64_t index_checksum;  // of records and id bytes
  std::uint64_t checksum;        // of the bytes before it
  std::array<char, 8> magic;
};

static_assert(sizeof(ShardHeader) == 64 && std::is_trivially_copyable_v<ShardHeader>);
static_assert(sizeof(ShardRecord) == 64 && std::is_trivially_copyable_v<ShardRecord>);
static_assert(sizeof(ShardFooter) == 48 && std::is_trivially_copyable_v<ShardFooter>);

// Where things lie inside one block: mel [frames, mel_bins], then tokens, then zeros.
struct BlockLayout {
  std::uint64_t mel_bytes = 0;
  std::uint64_t tokens_offset = 0;
  std::uint64_t size = 0;
};

constexpr BlockLayout block_layout(const ShardSettings& settings,
                                   std::uint32_t frames,
                                   std::uint32_t tokens) {
  const std::uint64_t mel =
      std::uint64_t{frames} * settings.mel_bins * element_size(settings.dtype);
  const std::uint64_t tokens_offset = aligned(mel, sizeof(std::int32_t));
  return {.mel_bytes = mel,
          .tokens_offset = tokens_offset,
          .size = aligned(tokens_offset + std::uint64_t{tokens} * sizeof(std::int32_t))};
}

}  // namespace qanat
