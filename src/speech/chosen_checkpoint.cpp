#include "speech/chosen_checkpoint.h"

#include <optional>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint_files/checkpoint_seal.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/messages/data_set_errors.h"
#include "speech/speech_model.h"

namespace qanat {
namespace {

LoadedCheckpoint load_single(const std::filesystem::path& folder, const CheckpointParts& parts) {
  Result<LoadedCheckpoint> loaded = load_checkpoint(folder, parts);
  if (!loaded) {
    throw MessageError(msg::checkpoint_not_whole{.reason = reason_of(loaded.failure())});
  }
  return std::move(loaded).value();
}

LoadedCheckpoint load_chosen(const CheckpointChoice& choice, const WarnFn& warn) {
  const bool averaged = choice.weights == WeightsPick::averaged;
  const CheckpointParts parts{.weights = !averaged, .ema = averaged, .optimizer = false};
  if (std::filesystem::exists(choice.path / kSealName)) {
    return load_single(choice.path, parts);
  }
  const CheckpointFolder folder(choice.path, 1);
  std::optional<LoadedCheckpoint> loaded =
      choice.pick == CheckpointPick::best ? folder.best(warn, parts) : folder.newest(warn, parts);
  if (!loaded) {
    const std::string path = choice.path.string();
    throw MessageError(choice.pick == CheckpointPick::best
                           ? Message(msg::checkpoint_none_best{.path = path})
                           : Message(msg::checkpoint_none{.path = path}));
  }
  return *std::move(loaded);
}

}  // namespace

ChosenCheckpoint open_checkpoint(const CheckpointChoice& choice, const WarnFn& warn) {
  LoadedCheckpoint loaded = load_chosen(choice, warn);
  const Result<CheckpointState> state = to_checkpoint_state(loaded.checkpoint.state);
  if (!state) {
    throw MessageError(msg::set_refused{.file = (loaded.folder / "state.json").string(),
                                        .why = reason_of(state.failure())});
  }
  const bool averaged = choice.weights == WeightsPick::averaged;
  const TensorMap& weights = averaged ? loaded.checkpoint.ema : loaded.checkpoint.weights;
  if (weights.empty()) {
    const std::string path = loaded.folder.string();
    throw MessageError(averaged ? Message(msg::checkpoint_no_averaged{.path = path})
                                : Message(msg::checkpoint_no_plain{.path = path}));
  }
  auto text = make_text_front_end(state.value().text);
  if (text->hash() != state.value().text.front_end_hash) {
    warn(msg::checkpoint_other_reading{});
  }
  return {.step = loaded.step,
          .folder = loaded.folder,
          .model = std::make_shared<SpeechModel>(state.value(), weights, std::move(text))};
}

}  // namespace qanat
