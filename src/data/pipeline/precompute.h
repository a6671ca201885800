// Makes the features of a whole data set and keeps them in shards (features/feature_store.h).
//
// Fresh and undamaged features in the folder are kept; everything else is computed again. A run
// that was stopped or killed leaves only complete shards, and the next run resumes from there. Call
// from one thread; the folder is locked against other processes while precompute() runs.
//
// Several processes, on several machines that share the folder, may divide the work: each makes the
// utterances of its share, in shards that only it writes. They need not know of each other, nor
// begin together; when all have ended, the folder is as if one had made it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/quantity.h"
#include "dataset/dataset_index.h"
#include "dataset/manifest.h"
#include "features/feature_store_writer.h"
#include "features/mel_config.h"
#include "pipeline/precompute_audit.h"
#include "pipeline/row_source.h"

namespace qanat {

// What to make. All of it outlives the call.
struct PrecomputeInputs {
  const Manifest& manifest;
  const DatasetIndex& index;  // of that manifest
  const RowSource& source;    // its items are positions in the manifest
  MelConfig mel;
  std::uint64_t fingerprint = 0;  // features/feature_fingerprint.h
};

struct PrecomputeOptions {
  std::filesystem::path folder;
  std::optional<MelDtype> dtype = std::nullopt;  // absent: as in the folder, else f32
  int workers = 1;                               // threads
  FolderShare share = {};                        // of the utterances, by their numbers
  Bytes shard_limit = kShardLimit;
  ProgressFn audit_progress = {};
  ProgressFn progress = {};  // utterances made, of those to be made
  std::stop_token stop = {};
};

struct PrecomputeFailure {
  std::uint32_t item = 0;
  MessageArg reason;

  bool operator==(const PrecomputeFailure&) const = default;
};

struct PrecomputeReport {
  FeatureAudit found;         // what was there before
  std::int64_t num_made = 0;  // entries in whole shards
  std::vector<PrecomputeFailure> failures = {};
  std::size_t num_shards = 0;     // written
  std::size_t num_removed = 0;    // shards with little or nothing left worth keeping
  std::size_t num_leftovers = 0;  // unfinished files of killed runs, removed
  Bytes bytes = {};               // written
  MelDtype dtype = MelDtype::f32;
  bool stopped = false;
};

// Which bytes end up in the shards depends on the inputs and on what was in the folder, not on the
// number of workers. Stopped, it returns within the time one utterance takes, without the shard in
// work. Throws Error when the folder cannot be written or another process writes into it.
PrecomputeReport precompute(const PrecomputeInputs& inputs, const PrecomputeOptions& options);

}  // namespace qanat
