// Checkpoints of a run: everything needed to resume, or to synthesise speech.
//
//   checkpoints/step-000001000/{model,ema,optimizer}.safetensors, state.json, DONE
//   checkpoints/best                 the step that validated best, for people and scripts
//
// A checkpoint is written atomically, whenever the process dies: under another name, synced, sealed
// with checksums (checkpoint_seal.h) and renamed.
// docs/en/checkpoint_format.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "checkpoint/safetensors.h"

namespace qanat {

struct Checkpoint {
  TensorMap weights;
  TensorMap ema;  // averaged weights, by the same names; empty without
  TensorMap optimizer;
  nlohmann::json state;  // checkpoint_state.h, and what the trainer needs to resume
};

// What to read; the rest of the Checkpoint stays empty. The state is always read.
struct CheckpointParts {
  bool weights = true;
  bool ema = true;
  bool optimizer = true;
};

// Told in words about every checkpoint that is passed over: which file, what is wrong with it.
using WarnFn = std::function<void(const Message&)>;

struct LoadedCheckpoint {
  std::int64_t step = 0;
  std::filesystem::path folder;
  Checkpoint checkpoint;
};

// One checkpoint by the path of its own folder; the Failure names the file and what differs.
Result<LoadedCheckpoint> load_checkpoint(const std::filesystem::path& folder,
                                         const CheckpointParts& parts = {});

// The checkpoints of one run. One thread at a time; save() also keeps other processes out.
class CheckpointFolder {
 public:
  // `keep`: how many of the latest stay, at least 1; the best one stays as well. Touches nothing.
  CheckpointFolder(std::filesystem::path path, int keep);

  const std::filesystem::path& path() const { return path_; }

  // Returns once everything is on the disk. Leftovers of a save that was interrupted are removed.
  // Throws Error with the errno (base/retry.h) when the system refuses: then the earlier
  // checkpoints are as they were, and so is the one of the same step if there was one. `best`: it
  // validated better than all before.
  void save(std::int64_t step, const Checkpoint& checkpoint, bool best);

  // The latest complete and undamaged one; nothing when there is none.
  std::optional<LoadedCheckpoint> newest(const WarnFn& warn,
                                         const CheckpointParts& parts = {}) const;
  // The one saved as the best last; nothing when there is none, or it is damaged.
  std::optional<LoadedCheckpoint> best(const WarnFn& warn, const CheckpointParts& parts = {}) const;

  // Steps of the complete checkpoints, the one saved first in front. Checks no checksums.
  std::vector<std::int64_t> steps() const;

 private:
  std::filesystem::path step_folder(std::int64_t step) const;
  void remove_leftovers() const;
  void remove_surplus() const;

  std::filesystem::path path_;
  int keep_;
};

}  // namespace qanat
