#include "speech/chosen_checkpoint.h"

#include <optional>
#include <utility>

#include "checkpoint/find_checkpoint.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/messages/data_set_errors.h"
#include "speech/checkpoint_weights.h"
#include "speech/speech_model.h"

namespace qanat {
namespace {

LoadedCheckpoint load_chosen(const CheckpointChoice& choice, const WarnFn& warn) {
  const bool averaged = choice.weights == WeightsPick::averaged;
  const bool is_best = choice.pick == CheckpointPick::best;
  Result<std::optional<LoadedCheckpoint>> found =
      find_checkpoint({.path = choice.path,
                       .parts = {.weights = !averaged, .ema = averaged, .optimizer = false},
                       .order = is_best ? CheckpointOrder::best : CheckpointOrder::newest,
                       .warn = warn});
  if (!found) {
    throw MessageError(msg::checkpoint_not_whole{.reason = reason_of(found.failure())});
  }
  if (!found.value()) {
    const std::string path = choice.path.string();
    throw MessageError(is_best ? Message(msg::checkpoint_none_best{.path = path})
                               : Message(msg::checkpoint_none{.path = path}));
  }
  return *std::move(found).value();
}

}  // namespace

CheckpointWeights open_weights(const CheckpointChoice& choice, const WarnFn& warn) {
  LoadedCheckpoint loaded = load_chosen(choice, warn);
  Result<CheckpointState> state = to_checkpoint_state(loaded.checkpoint.state);
  if (!state) {
    throw MessageError(msg::set_refused{.file = (loaded.folder / "state.json").string(),
                                        .why = reason_of(state.failure())});
  }
  const bool averaged = choice.weights == WeightsPick::averaged;
  TensorMap& weights = averaged ? loaded.checkpoint.ema : loaded.checkpoint.weights;
  if (weights.empty()) {
    const std::string path = loaded.folder.string();
    throw MessageError(averaged ? Message(msg::checkpoint_no_averaged{.path = path})
                                : Message(msg::checkpoint_no_plain{.path = path}));
  }
  return {.step = loaded.step,
          .folder = loaded.folder,
          .state = std::move(state).value(),
          .stored = std::move(loaded.checkpoint.state),
          .weights = std::move(weights)};
}

ChosenCheckpoint open_checkpoint(const CheckpointChoice& choice, const WarnFn& warn) {
  const CheckpointWeights opened = open_weights(choice, warn);
  auto text = make_text_front_end(opened.state.text);
  if (text->hash() != opened.state.text.front_end_hash) {
    warn(msg::checkpoint_other_reading{});
  }
  return {.step = opened.step,
          .folder = opened.folder,
          .model = std::make_shared<SpeechModel>(opened.state, opened.weights, std::move(text))};
}

}  // namespace qanat
