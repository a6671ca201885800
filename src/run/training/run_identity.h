// What a run has to have in common with its checkpoint to resume at the very batch: the plan of an
// epoch, what is validated on, and how the set was divided. Part of state.json, key "data".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/language_tag.h"
#include "base/message.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint_files/checkpoint_state.h"
#include "config/run_config.h"
#include "dataset/training_sets.h"
#include "train/schedule.h"
#include "train/train_progress.h"
#include "training/train_inputs.h"

namespace qanat {

struct RunIdentity {
  std::int64_t utterances = 0;  // trained on
  int batch_size = 0;
  int processes = 1;       // that its batches were cut for: so many times batch_size share one
  std::uint64_t plan = 0;  // of everything the order of an epoch depends on
  std::optional<std::uint64_t> validation;  // of the utterances that are scored; absent: none
  std::vector<SplitRule> splits;            // of the run so far, the latest last

  bool operator==(const RunIdentity&) const = default;
};

// `processes` as in RunIdentity.
RunIdentity identity_of(const RunConfig& config, const TrainInputs& inputs, int processes = 1);

// For how many processes a run of `world` cuts its batches: one that resumes keeps those it has,
// unless --batch-size is another. `state` is a state.json of any version, or null.
int processes_of(const nlohmann::json& state, const RunConfig& config, int world);
// That its batches stay as they are, though `world` processes share them now.
Message note_on_processes(const RunIdentity& identity, int world);
nlohmann::json to_json(const RunIdentity& identity);

// By which rules the run of this checkpoint has divided its set; `state` is a state.json of any
// version. Never trusts its input: what is no rule is left out.
EarlierSplits stored_splits(const nlohmann::json& state);

// The state of the latest checkpoint this run would resume from; null when it starts from scratch.
nlohmann::json newest_state(const TrainingConfig& training);

// Where a run resumes, and what the user is told about it.
struct ResumePoint {
  TrainProgress progress;
  std::optional<Schedule> schedule;  // of the checkpoint; absent in those of earlier versions
  std::vector<Message> notes;
};

// A plan that is not the one of the checkpoint restarts its epoch; another validation set begins
// without a best score. Throws Error when the checkpoint does not say where the run stood.
ResumePoint resume_point(const LoadedCheckpoint& loaded,
                         const RunConfig& config,
                         const RunIdentity& identity);

// Throws Error, with the remedy, when the checkpoint is of another model than `ours`.
void check_same_model(const LoadedCheckpoint& loaded, const CheckpointState& ours);

// The same of a vocoder.
void check_same_vocoder(const LoadedCheckpoint& loaded, const VocoderState& ours);

// The languages the weights of a checkpoint that fits and is resumed with `ours` have learned from;
// empty when an older checkpoint does not say.
std::vector<LanguageTag> learned_languages(const LoadedCheckpoint& loaded,
                                           std::vector<LanguageTag> ours);

}  // namespace qanat
