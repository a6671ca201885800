// Fine-tuning: a new run that starts with the weights of another run's checkpoint. The data,
// the speakers and the symbols may be others: what fits is taken by name and shape, the tables of
// symbols and speakers row by row.
#pragma once

#include <optional>
#include <vector>

#include "base/message.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint_files/checkpoint_state.h"
#include "config/run_config.h"
#include "train/flat_parameters.h"

namespace qanat {

// Checks a new run with training.init_from: throws Error, saying what to try, when there is no
// checkpoint of such a model. Reads no weights: to be called before anything that takes long.
void check_initial(const RunConfig& config);

// That checkpoint, with its averaged weights, or its plain ones where it has no others, in `ema`;
// nothing when the run starts with random weights. training.init_from is a folder of checkpoints,
// of which the latest counts, one of them, or the word `start`: the weights that come with the
// program (base/program_files.h).
std::optional<LoadedCheckpoint> load_initial(const RunConfig& config, const WarnFn& warn);

// Copies what fits into `views`, which are the weights of a model of `ours` by their names. The
// rest stays as it is, except that speakers the checkpoint does not know begin as the mean of those
// it knows. Returns what the user is told.
Message take_weights(const LoadedCheckpoint& from,
                     const CheckpointState& ours,
                     const TensorMap& views);

// Whether a parameter belongs to one of the parts.
FlatParameters::IsWanted parameters_of(const std::vector<ModelPart>& parts);

}  // namespace qanat
