#include "speech/chosen_checkpoint.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint_files/checkpoint_seal.h"
#include "speech/speech_model.h"

namespace qanat {
namespace {

LoadedCheckpoint load_single(const std::filesystem::path& folder, const CheckpointParts& parts) {
  Result<LoadedCheckpoint> loaded = load_checkpoint(folder, parts);
  if (!loaded) {
    throw Error("{}; expected a whole checkpoint; try the folder above it, which has others",
                loaded.failure().what);
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
    throw Error(
        "{}: no {} checkpoint here; expected a folder that `qanat train` has saved into; try "
        "--checkpoint DIR",
        choice.path.string(),
        choice.pick == CheckpointPick::best ? "best" : "complete");
  }
  return *std::move(loaded);
}

}  // namespace

ChosenCheckpoint open_checkpoint(const CheckpointChoice& choice, const WarnFn& warn) {
  LoadedCheckpoint loaded = load_chosen(choice, warn);
  const Result<CheckpointState> state = to_checkpoint_state(loaded.checkpoint.state);
  if (!state) {
    throw Error("{}/state.json: {}", loaded.folder.string(), state.failure().what);
  }
  const bool averaged = choice.weights == WeightsPick::averaged;
  const TensorMap& weights = averaged ? loaded.checkpoint.ema : loaded.checkpoint.weights;
  if (weights.empty()) {
    throw Error("{}: has no {} weights; try {}",
                loaded.folder.string(),
                averaged ? "averaged" : "plain",
                averaged ? "--weights plain" : "--weights averaged");
  }
  auto text = make_text_front_end(state.value().text);
  if (text->hash() != state.value().text.front_end_hash) {
    warn("text is read by other rules than when the model was trained; the symbols are the same");
  }
  return {.step = loaded.step,
          .folder = loaded.folder,
          .model = std::make_shared<SpeechModel>(state.value(), weights, std::move(text))};
}

}  // namespace qanat
