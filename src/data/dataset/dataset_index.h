// How long every utterance is, known before anything is decoded.
//
// build_index() asks the audio headers and the tokenizer, on several threads, and remembers the
// answers in a cache: a file that has not changed is not opened again. What audio and text are is
// handed in as functions; this module knows neither.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/result.h"
#include "dataset/manifest.h"

namespace qanat {

// 40 bytes: a million utterances are 40 MB.
struct IndexEntry {
  SampleCount samples;  // at the target rate
  TokenCount tokens;
  FileIdentity identity;  // of the audio file when it was measured
  bool usable = false;    // false: none of the above is known; failures says why

  bool operator==(const IndexEntry&) const = default;
};

struct IndexFailure {
  std::uint32_t item = 0;
  ProblemKind kind = ProblemKind::unreadable_audio;  // or untokenizable_text
  MessageArg reason;                                 // without the path of the file

  bool operator==(const IndexFailure&) const = default;
};

// Where the entries came from.
struct IndexOrigin {
  std::int64_t probed = 0;        // audio files that were opened
  std::int64_t reused = 0;        // audio files that were known and had not changed
  std::filesystem::path cache;    // empty: none was read or written
  bool is_cached = false;         // the cache has all that is known of these utterances
  std::vector<MessageArg> notes;  // to be said once: a damaged cache, no place to write one
};

struct DatasetIndex {
  std::vector<IndexEntry> entries;     // one per utterance of the manifest, in its order
  std::vector<IndexFailure> failures;  // ascending by item
  IndexOrigin origin;
};

struct IndexOptions;

struct IndexSources {
  // All are called from several threads at once.
  std::function<Result<SampleCount>(const std::filesystem::path&)> probe_length;
  // The same of a clip in a container.
  std::function<Result<SampleCount>(StoredClip)> probe_stored{};
  std::function<Result<TokenCount>(const Utterance&)> count_tokens;
  // Which version audio is that is no file of its own, and how long. Absent: files are
  // asked, the second one by probe_length().
  std::function<Result<FileIdentity>(const Utterance&)> identify{};
  std::function<Result<SampleCount>(const Utterance&)> measure{};
  // Called first, with all utterances, from one thread: whoever counts tokens may have to know them
  // all. Gives what the answers depend on besides settings_hash; 0: nothing. May be absent.
  std::function<std::uint64_t(std::span<const Utterance>, const IndexOptions&)> learn{};
  // Covers all that the two answers depend on: target rate, tokenizer, normaliser, their versions.
  std::uint64_t settings_hash = 0;
};

// Whether files are asked for their length and time. Another process of the machine may just have
// asked them all, and written what it found into the cache.
enum class FileCheck { every_file, unknown_files };

struct IndexOptions {
  int threads = 0;                                   // 0: one per core
  std::vector<std::filesystem::path> cache_folders;  // tried in order; none: no cache
  ProgressFn progress;
  std::stop_token stop;
  FileCheck files = FileCheck::every_file;
};

// Nothing when stopped; what was measured by then is in the cache. The result does not depend on
// the number of threads nor on the cache. Never throws for what a file or a text holds.
std::optional<DatasetIndex> build_index(const Manifest& manifest,
                                        const IndexSources& sources,
                                        const IndexOptions& options);

// The entries of the items named, in that order; goes with select(manifest, items).
DatasetIndex select(const DatasetIndex& index, std::span<const std::uint32_t> items);

}  // namespace qanat
