#include "speech/chosen_checkpoint.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/find_checkpoint.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/languages.h"
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

// A command is of no use to a model that was trained without.
void check_front_end_is_asked_for(const StoredText& stored,
                                  const FrontEndChoice& choice,
                                  const std::filesystem::path& folder) {
  if (stored.units != SymbolSet::own && !choice.g2p.empty()) {
    throw MessageError(msg::front_end_refused{.path = folder.string(),
                                              .theirs = std::string(to_string(stored.units)),
                                              .ours = choice.g2p,
                                              .advice = msg::front_end_try_without{}});
  }
}

// What answers otherwise than in training speaks another language than the model.
void check_front_end(const StoredText& stored,
                     const TextFrontEnd& text,
                     const FrontEndChoice& choice,
                     const std::filesystem::path& folder,
                     const WarnFn& warn) {
  std::vector<LanguageTag> languages;
  for (const FrontEndIdentity::Probed& one : stored.g2p.probed) {
    languages.push_back(one.language);
  }
  const FrontEndIdentity ours = text.identity(languages);
  if (ours.probed == stored.g2p.probed) {
    return;
  }
  if (choice.if_other == FrontEndChoice::IfOther::use) {
    warn(msg::front_end_forced{.path = folder.string(),
                               .theirs = front_end_name(stored.g2p),
                               .ours = front_end_name(ours)});
    return;
  }
  throw MessageError(
      msg::front_end_refused{.path = folder.string(),
                             .theirs = front_end_name(stored.g2p),
                             .ours = front_end_name(ours),
                             .advice = msg::front_end_try{.command = stored.g2p.name}});
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
  const StoredText& stored = opened.state.text;
  check_front_end_is_asked_for(stored, choice.front_end, opened.folder);
  auto text = make_text_front_end(stored, choice.front_end.g2p);
  if (stored.units == SymbolSet::own) {
    check_front_end(stored, *text, choice.front_end, opened.folder, warn);
  } else if (text->hash() != stored.front_end_hash) {
    warn(msg::checkpoint_other_reading{});
  }
  return {.step = opened.step,
          .folder = opened.folder,
          .model = std::make_shared<SpeechModel>(opened.state, opened.weights, std::move(text))};
}

}  // namespace qanat
