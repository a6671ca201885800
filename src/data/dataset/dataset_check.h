// Checks a whole data set and reports every problem before a run meets it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "dataset/dataset_index.h"
#include "dataset/dataset_report.h"
#include "dataset/sound_findings.h"
#include "dataset/training_sets.h"

namespace qanat {

// All are called from several threads at once.
struct CheckSources {
  IndexSources index;
  std::function<Result<SoundFacts>(const std::filesystem::path&, CheckDepth)> inspect;
  // The same of a clip in a container.
  std::function<Result<SoundFacts>(StoredClip, CheckDepth)> inspect_stored{};
  // The characters of the text that are not read, each once, and how often it holds them.
  std::function<std::vector<NamedCount>(const Utterance&)> unknown_characters;
};

struct CheckOptions {
  ManifestOptions manifest;
  std::optional<std::filesystem::path> view{};  // data_view.h
  SplitOptions split;                           // val_fraction 0: the set is not divided
  LengthLimits limits;
  SoundLimits sound;
  double max_bad_fraction = 0.1;  // of the rows; a run refuses a set of which more is damaged
  CheckDepth depth = CheckDepth::samples;
  int threads = 0;
  std::vector<std::filesystem::path> cache_folders;
  ProgressFn index_progress;
  ProgressFn sound_progress;
  std::stop_token stop;
};

// Nothing when stopped. Throws Error when there is no manifest to check at all. Writes nothing but
// the cache. The report does not depend on the number of threads.
std::optional<DatasetReport> check_dataset(const CheckOptions& options,
                                           const CheckSources& sources);

}  // namespace qanat
