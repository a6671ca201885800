#include "speech/chosen_checkpoint.h"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/program_files.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/find_checkpoint.h"
#include "checkpoint_files/checkpoint_seal.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/languages.h"
#include "speech/checkpoint_weights.h"
#include "speech/speech_model.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsualFolder = "checkpoints";

// The program's own weights, which are one checkpoint. Another folder is no way out where they are
// damaged: the message says to install again.
LoadedCheckpoint load_start(const CheckpointChoice& choice) {
  const fs::path folder = start_weights();
  std::error_code unknown;
  if (!fs::exists(folder / kSealName, unknown)) {
    throw MessageError(msg::start_none{.path = folder.string()});
  }
  if (choice.weights != WeightsPick::averaged) {
    throw MessageError(msg::checkpoint_no_plain{.path = folder.string()});
  }
  Result<LoadedCheckpoint> loaded = load_checkpoint(folder, {.weights = false, .optimizer = false});
  if (!loaded) {
    throw MessageError(msg::start_damaged{.reason = reason_of(loaded.failure())});
  }
  return std::move(loaded).value();
}

// Nothing was named, and nothing was trained here: not so where training has begun, of which a user
// wants to hear, be it that there is nothing to hear yet.
bool means_start(const CheckpointChoice& choice) {
  std::error_code unknown;
  return choice.path == kStartWord || (choice.path.empty() && !fs::exists(kUsualFolder, unknown));
}

LoadedCheckpoint load_chosen(const CheckpointChoice& choice, const WarnFn& warn) {
  if (means_start(choice)) {
    LoadedCheckpoint start = load_start(choice);
    if (choice.path.empty() && warn) {
      warn(msg::start_used{.folder = kUsualFolder});
    }
    return start;
  }
  const fs::path path = choice.path.empty() ? fs::path(kUsualFolder) : choice.path;
  const bool averaged = choice.weights == WeightsPick::averaged;
  const bool is_best = choice.pick == CheckpointPick::best;
  Result<std::optional<LoadedCheckpoint>> found =
      find_checkpoint({.path = path,
                       .parts = {.weights = !averaged, .ema = averaged, .optimizer = false},
                       .order = is_best ? CheckpointOrder::best : CheckpointOrder::newest,
                       .warn = warn});
  if (!found) {
    throw MessageError(msg::checkpoint_not_whole{.reason = reason_of(found.failure())});
  }
  if (!found.value()) {
    throw MessageError(is_best ? Message(msg::checkpoint_none_best{.path = path.string()})
                               : Message(msg::checkpoint_none{.path = path.string()}));
  }
  return *std::move(found).value();
}

// A command is of no use to a model that was trained without.
void check_front_end_is_asked_for(const StoredText& stored,
                                  const FrontEndChoice& choice,
                                  const fs::path& folder) {
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
                     const fs::path& folder,
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

// By language tags and names, as the trainer writes them. Files of former versions have none.
std::vector<DefaultSpeaker> read_default_speakers(const CheckpointWeights& opened) {
  std::vector<DefaultSpeaker> result;
  const auto stored = opened.stored.find("default_speakers");
  if (stored == opened.stored.end()) {
    return result;
  }
  const std::vector<std::string>& known = opened.state.speakers;
  for (const auto& [code, speaker] : stored->items()) {
    const std::optional<LanguageTag> language = to_language_tag(code);
    const auto found =
        speaker.is_string() ? std::ranges::find(known, speaker.get<std::string>()) : known.end();
    if (!language || found == known.end()) {
      throw MessageError(msg::set_refused{
          .file = (opened.folder / "state.json").string(),
          .why = fmt::format("default_speakers: {}; expected a speaker of the table for a language",
                             code)});
    }
    result.push_back({.language = *language, .speaker = static_cast<int>(found - known.begin())});
  }
  return result;
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
  } else if (text->hash() != stored.front_end_hash && !means_start(choice)) {
    // Nobody trains the program's own weights again after reading this: it is for those of a user.
    warn(msg::checkpoint_other_reading{});
  }
  return {.step = opened.step,
          .folder = opened.folder,
          .model = std::make_shared<SpeechModel>(opened.state, opened.weights, std::move(text)),
          .default_speakers = read_default_speakers(opened)};
}

}  // namespace qanat
