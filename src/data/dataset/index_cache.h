// Lengths of audio and text as they were found last time, on disk.
//
// The cache is optional: it is read if it is intact, written if a folder is writable, and
// everything works without it. Free functions; files are written atomically.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "dataset/manifest.h"

namespace qanat {

// What is known of one utterance, and by what it is recognised.
struct CachedLengths {
  std::uint64_t audio_key = 0;  // content_hash of Utterance::audio
  std::uint64_t text_key = 0;   // content_hash of text and language
  FileIdentity identity;        // the audio file that was measured
  std::int64_t samples = 0;
  std::int64_t tokens = 0;

  bool operator==(const CachedLengths&) const = default;
};

struct IndexCache {
  std::uint64_t settings_hash = 0;
  std::vector<CachedLengths> lengths;  // in the order of the manifest they were made from
};

std::string to_bytes(const IndexCache& cache);
// Failure: another version, damaged, or not such a file at all.
Result<IndexCache> parse_index_cache(std::span<const std::byte> bytes);

// The user's cache folder, then, where the data set is not at a URL, a hidden one in it: the first
// that can be used is.
std::vector<std::filesystem::path> index_cache_folders(const std::filesystem::path& data_root);

// One name per folder, manifest files in it, and settings.
std::string index_cache_name(const Manifest& manifest, std::uint64_t settings_hash);

}  // namespace qanat
