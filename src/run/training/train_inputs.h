// What a run is trained and validated on, read and checked before anything else is started.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/language_tag.h"
#include "base/message.h"
#include "base/progress.h"
#include "base/time.h"
#include "batch/batch.h"
#include "config/run_config.h"
#include "dataset/training_sets.h"
#include "pipeline/loader.h"
#include "speech/mel_prediction.h"
#include "text/text_front_end.h"

namespace qanat {

// Shared with the loader's workers.
struct TrainInputs {
  std::shared_ptr<const TextFrontEnd> text;
  std::shared_ptr<const UtteranceSet> train;
  std::shared_ptr<const UtteranceSet> validation;  // null: there is none
  std::vector<std::string> speakers;    // of the speaker table; empty: the model has none
  std::vector<LanguageTag> languages;   // of the training texts, each once, in their order
  std::vector<MessageArg> notes;        // what was left out, to be said once
  std::vector<SplitRule> splits;        // by which the run has divided its set, this time last
  std::optional<MelSource> mel_from{};  // whose mel a vocoder learns from; absent: the recordings'
};

// By which rules a run divided its set before it was interrupted: what trained continues to train.
struct EarlierSplits {
  std::vector<SplitRule> rules{};
  // A checkpoint that stores no rules sets it: they hold only where no files divide the set.
  bool is_guess = false;
  LearntSymbols symbols{};  // that the weights of the run know
};

// Nothing when stopped. Throws Error naming what is wrong with the data set. A part of the training
// set validates; where that part turns out empty the run goes without validation, and says so.
std::optional<TrainInputs> load_train_inputs(const RunConfig& config,
                                             const ProgressFn& progress,
                                             const std::stop_token& stop,
                                             const EarlierSplits& earlier = {},
                                             FileCheck files = FileCheck::every_file);

// How the validation set is cut into batches: always the same way, whatever training.seed is.
LoaderOptions validation_options(const RunConfig& config);

// How many utterances of the validation set a vocoder is validated on: the first ones, as many as
// training.validation_batches hold.
std::size_t num_validation_clips(const RunConfig& config, const TrainInputs& inputs);

struct ValidationClip {
  std::uint32_t item = 0;  // of the set
  std::string id;
  std::vector<float> samples;
};
// The samples of the first `count`, full scale 1; those of a long one end after `most`. What cannot
// be read is left out, and `warn` is told.
std::vector<ValidationClip> load_validation_clips(
    const TrainInputs& inputs,
    std::size_t count,
    Seconds most,
    const std::function<void(const MessageArg&)>& warn);

// The first training.validation_batches of the validation set, in an order that is always the same.
std::vector<Batch> load_validation_batches(const RunConfig& config, const TrainInputs& inputs);

}  // namespace qanat
