// From what a user names to the model in it: a folder of checkpoints or a single one, the newest or
// the best, the averaged weights or the plain ones. Without libtorch in the header: for commands.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/language_tag.h"
#include "base/message.h"
#include "checkpoint_files/checkpoint_state.h"

namespace qanat {

class SpeechModel;

enum class CheckpointPick { newest, best };
enum class WeightsPick { averaged, plain };

// Who reads the texts of a model that was trained with a command of the user's own.
struct FrontEndChoice {
  std::string g2p{};                              // empty: none is given
  enum class IfOther { refuse, use } if_other{};  // than the one it was trained with
};

struct CheckpointChoice {
  // `start`: the start weights. Empty: the folder of a training here, `checkpoints`; where there is
  // none, the start weights.
  std::filesystem::path path = "checkpoints";
  CheckpointPick pick = CheckpointPick::newest;
  WeightsPick weights = WeightsPick::averaged;
  FrontEndChoice front_end{};
};

// Who speaks a language when nobody is asked for.
struct DefaultSpeaker {
  LanguageTag language;
  int speaker = 0;  // of the table
};

struct ChosenCheckpoint {
  std::int64_t step = 0;
  std::filesystem::path folder;
  std::shared_ptr<SpeechModel> model;  // shared with nobody; the type is incomplete here
  std::vector<DefaultSpeaker> default_speakers{};  // of some languages, or of none
};

// The tensors of a checkpoint, for whoever makes something else of them than a SpeechModel. Defined
// in speech/checkpoint_weights.h, which needs libtorch.
struct CheckpointWeights;
CheckpointWeights open_weights(const CheckpointChoice& choice,
                               const std::function<void(const Message&)>& warn);

// `warn` is told of damaged checkpoints that were passed over, and of rules of reading that have
// changed since. Throws Error when there is no usable checkpoint, saying what was looked for.
ChosenCheckpoint open_checkpoint(const CheckpointChoice& choice,
                                 const std::function<void(const Message&)>& warn);

}  // namespace qanat
