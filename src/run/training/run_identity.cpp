#include "training/run_identity.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/make_loader.h"
#include "app/plan_fingerprint.h"
#include "base/content_hash.h"
#include "config/field_list.h"
#include "config/field_type.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/languages.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

// What a plan depends on besides the data set.
constexpr std::array<const char*, 9> kPlanKeys = {"/training/seed",
                                                  "/data/batch_size",
                                                  "/data/max_mel_frames",
                                                  "/data/max_text_length",
                                                  "/data/enable_static_shapes",
                                                  "/data/val_split",
                                                  "/pipeline/bucket_edges",
                                                  "/pipeline/frame_budget",
                                                  "/pipeline/shuffle"};

std::string hex_of(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

constexpr std::array<std::pair<SplitRule::By, std::string_view>, 3> kRuleNames = {
    std::pair{SplitRule::By::hash, "hash"},
    std::pair{SplitRule::By::files, "files"},
    std::pair{SplitRule::By::nothing, "nothing"}};

nlohmann::json rule_to_json(const SplitRule& rule) {
  const auto name =
      std::ranges::find(kRuleNames, rule.by, [](const auto& one) { return one.first; });
  return {{"by", name->second}, {"val_fraction", rule.val_fraction}, {"seed", rule.seed}};
}

std::optional<SplitRule> to_rule(const nlohmann::json& json) {
  try {
    const auto by = json.at("by").get<std::string>();
    const auto name = std::ranges::find(kRuleNames, by, [](const auto& one) { return one.second; });
    if (name == kRuleNames.end()) {
      return std::nullopt;
    }
    return SplitRule{.by = name->first,
                     .val_fraction = json.at("val_fraction").get<double>(),
                     .seed = json.at("seed").get<std::uint64_t>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

nlohmann::json value_at(const nlohmann::json& json, const std::string& path) {
  const nlohmann::json::json_pointer pointer(path);
  return json.contains(pointer) ? json.at(pointer) : nlohmann::json();
}

// "training.seed 0 -> 99", one for each key that the plan depends on and that is another now.
std::vector<std::string> changed_keys(const nlohmann::json& state, const RunConfig& config) {
  const nlohmann::json before = value_at(state, "/config");
  const nlohmann::json now = to_json(config);
  std::vector<std::string> changed;
  const auto add_change = [&](const char* path) {
    const nlohmann::json was = value_at(before, path);
    const nlohmann::json is = value_at(now, path);
    if (was != is) {
      std::string key(path + 1);
      std::ranges::replace(key, '/', '.');
      changed.push_back(fmt::format("{} {} -> {}", key, was.dump(), is.dump()));
    }
  };
  for (const char* const path : kPlanKeys) {
    add_change(path);
  }
  if (trains_vocoder(config.training)) {
    add_change("/vocoder/segment_frames");
    add_change("/vocoder/mel_from");
  }
  return changed;
}

// Checkpoints of versions that stored no fingerprints are compared by what they did store.
bool has_same_plan(const nlohmann::json& state,
                   const RunConfig& config,
                   const RunIdentity& identity) {
  const nlohmann::json plan = value_at(state, "/data/plan");
  if (!plan.is_null()) {
    return plan == hex_of(identity.plan);
  }
  return value_at(state, "/data/utterances") == identity.utterances &&
         changed_keys(state, config).empty();
}

[[noreturn]] void refuse(const LoadedCheckpoint& loaded, const Failure& why) {
  throw MessageError(msg::set_refused{.file = loaded.folder.string(), .why = reason_of(why)});
}

ResumePoint stored_point(const LoadedCheckpoint& loaded) {
  const nlohmann::json& state = loaded.checkpoint.state;
  Result<TrainProgress> progress =
      to_train_progress(state.value("training", nlohmann::json::object()));
  if (!progress) {
    refuse(loaded, progress.failure());
  }
  ResumePoint point{.progress = std::move(progress).value(), .schedule = {}, .notes = {}};
  if (const auto stored = state.find("schedule"); stored != state.end()) {
    const Result<Schedule> schedule = to_schedule(*stored);
    if (!schedule) {
      refuse(loaded, schedule.failure());
    }
    point.schedule = schedule.value();
  }
  return point;
}

bool has_same_validation(const nlohmann::json& state, const RunIdentity& identity, bool same_plan) {
  if (value_at(state, "/data/plan").is_null()) {
    return same_plan;
  }
  const nlohmann::json stored = value_at(state, "/data/validation");
  return identity.validation ? stored == hex_of(*identity.validation) : stored.is_null();
}

// Versions that stored none knew one measure only.
bool has_same_measure(const nlohmann::json& state, const RunConfig& config) {
  const nlohmann::json stored = value_at(state, "/config/training/best_by");
  const nlohmann::json now = value_at(to_json(config), "/training/best_by");
  return now == (stored.is_null() ? nlohmann::json("loss") : stored);
}

void forget_best(TrainProgress& progress) {
  progress.best_score.reset();
  progress.best_step = 0;
  progress.lowest.reset();
  progress.validations_since_best = 0;
}

void check_same_task(const LoadedCheckpoint& loaded, TrainingTask ours) {
  const TrainingTask theirs = stored_task(loaded.checkpoint.state);
  if (theirs != ours) {
    throw MessageError(msg::resume_other_task{.folder = loaded.folder.string(),
                                              .theirs = FieldType<TrainingTask>::name_of(theirs),
                                              .ours = FieldType<TrainingTask>::name_of(ours)});
  }
}

// Who read the texts, for people.
FrontEndIdentity front_end_of(const StoredText& text) {
  return text.units == SymbolSet::own
             ? FrontEndIdentity{.name = text.g2p.name, .probed = text.g2p.probed}
             : FrontEndIdentity{.name = std::string(to_string(text.units))};
}

// A command of the user's own is known by what it answers, not by its name; a language that is new
// or gone says nothing about the others.
bool is_other_front_end(const StoredText& stored, const StoredText& ours) {
  return stored.units != ours.units ||
         std::ranges::any_of(stored.g2p.probed, [&](const FrontEndIdentity::Probed& one) {
           const auto now = std::ranges::find(
               ours.g2p.probed, one.language, &FrontEndIdentity::Probed::language);
           return now != ours.g2p.probed.end() && *now != one;
         });
}

// Symbols that the data set has and the checkpoint lacks.
std::vector<std::string> symbols_beyond(const StoredText& stored, const StoredText& ours) {
  constexpr std::size_t kShown = 20;
  std::vector<std::string> fresh;
  for (const std::string& symbol : ours.symbols.added) {
    if (std::ranges::find(stored.symbols.added, symbol) == stored.symbols.added.end()) {
      fresh.push_back(symbol);
    }
  }
  if (fresh.size() > kShown) {
    fresh.resize(kShown);
    fresh.emplace_back("…");
  }
  return fresh;
}

}  // namespace

int processes_of(const nlohmann::json& state, const RunConfig& config, int world) {
  if (state.is_null() || value_at(state, "/data/batch_size") != config.data.batch_size) {
    return world;
  }
  const nlohmann::json stored = value_at(state, "/data/processes");
  return stored.is_number_integer() && stored.get<int>() > 0 ? stored.get<int>() : 1;
}

Message note_on_processes(const RunIdentity& identity, int world) {
  return msg::resume_other_processes{.rows = identity.processes * identity.batch_size,
                                     .before = identity.processes,
                                     .batch_size = identity.batch_size,
                                     .now = world};
}

RunIdentity identity_of(const RunConfig& config, const TrainInputs& inputs, int processes) {
  LoaderOptions options = make_loader_options(config, read_host_share(), 0);
  options.group = processes;
  RunIdentity identity{
      .utterances = static_cast<std::int64_t>(inputs.train->manifest.utterances.size()),
      .batch_size = config.data.batch_size,
      .processes = processes,
      .plan = plan_fingerprint(*inputs.train, kMel, options, segment_options(config)),
      .splits = inputs.splits};
  if (!inputs.validation || config.training.validation_batches == 0) {
    return identity;
  }
  if (trains_vocoder(config.training)) {
    identity.validation =
        clips_fingerprint(*inputs.validation, kMel, num_validation_clips(config, inputs));
    if (inputs.mel_from) {  // scores of one mel say nothing about another
      identity.validation =
          ContentHasher().add(*identity.validation).add(inputs.mel_from->identity).value();
    }
  } else {
    identity.validation = validation_fingerprint(
        *inputs.validation, kMel, validation_options(config), config.training.validation_batches);
  }
  return identity;
}

nlohmann::json to_json(const RunIdentity& identity) {
  nlohmann::json splits = nlohmann::json::array();
  for (const SplitRule& rule : identity.splits) {
    splits.push_back(rule_to_json(rule));
  }
  nlohmann::json json{{"utterances", identity.utterances},
                      {"batch_size", identity.batch_size},
                      {"processes", identity.processes},
                      {"plan", hex_of(identity.plan)},
                      {"splits", std::move(splits)}};
  if (identity.validation) {
    json["validation"] = hex_of(*identity.validation);
  }
  return json;
}

EarlierSplits stored_splits(const nlohmann::json& state) {
  const nlohmann::json splits = value_at(state, "/data/splits");
  EarlierSplits earlier;
  if (const Result<CheckpointState> speech = to_checkpoint_state(state)) {
    earlier.symbols = speech.value().text.symbols;
  }
  if (splits.is_array()) {
    for (const nlohmann::json& one : splits) {
      if (const std::optional<SplitRule> rule = to_rule(one)) {
        earlier.rules.push_back(*rule);
      }
    }
    return earlier;
  }
  // Before rules were stored, training.seed decided the split.
  const nlohmann::json fraction = value_at(state, "/config/data/val_split");
  const nlohmann::json seed = value_at(state, "/config/training/seed");
  if (fraction.is_number() && seed.is_number_unsigned() &&
      !value_at(state, "/config/data/val_data").is_string()) {
    earlier.is_guess = true;
    earlier.rules.push_back({.by = SplitRule::By::hash,
                             .val_fraction = fraction.get<double>(),
                             .seed = seed.get<std::uint64_t>()});
  }
  return earlier;
}

nlohmann::json newest_state(const TrainingConfig& training) {
  if (training.reset_training) {
    return {};
  }
  const CheckpointFolder folder(training.checkpoint_dir, training.keep_checkpoints);
  std::optional<LoadedCheckpoint> newest =
      folder.newest(nullptr, {.weights = false, .ema = false, .optimizer = false});
  return newest ? std::move(newest->checkpoint.state) : nlohmann::json();
}

ResumePoint resume_point(const LoadedCheckpoint& loaded,
                         const RunConfig& config,
                         const RunIdentity& identity) {
  const nlohmann::json& state = loaded.checkpoint.state;
  ResumePoint point = stored_point(loaded);
  TrainProgress& progress = point.progress;
  const bool same_plan = has_same_plan(state, config, identity);
  if (!same_plan && progress.position.batch > 0) {
    const std::vector<std::string> changed = changed_keys(state, config);
    point.notes.push_back(msg::resume_other_plan{
        .changed = changed.empty() ? MessageArg(msg::resume_other_utterances{}) : changed,
        .epoch = progress.position.epoch,
        .batches = progress.position.batch});
    progress.position.batch = 0;
  }
  if (!has_same_validation(state, identity, same_plan) && progress.best_score) {
    point.notes.push_back(msg::resume_other_validation{.score = plain(*progress.best_score, 4),
                                                       .step = progress.best_step});
    forget_best(progress);
  }
  if (!has_same_measure(state, config) && progress.best_score) {
    point.notes.push_back(msg::resume_other_measure{.score = plain(*progress.best_score, 4),
                                                    .step = progress.best_step});
    forget_best(progress);
  }
  return point;
}

void check_same_vocoder(const LoadedCheckpoint& loaded, const VocoderState& ours) {
  check_same_task(loaded, TrainingTask::vocoder);
  const Result<VocoderState> stored = to_vocoder_state(loaded.checkpoint.state);
  if (!stored) {
    refuse(loaded, stored.failure());
  }
  if (stored.value() != ours) {
    throw MessageError(msg::resume_other_model{.folder = loaded.folder.string(),
                                               .what = msg::resume_other_size{}});
  }
}

void check_same_model(const LoadedCheckpoint& loaded, const CheckpointState& ours) {
  check_same_task(loaded, TrainingTask::speech);
  const Result<CheckpointState> stored = to_checkpoint_state(loaded.checkpoint.state);
  if (!stored) {
    refuse(loaded, stored.failure());
  }
  Message what;
  if (is_other_front_end(stored.value().text, ours.text)) {
    what = msg::resume_other_front_end{.theirs = front_end_name(front_end_of(stored.value().text)),
                                       .ours = front_end_name(front_end_of(ours.text))};
  } else if (std::vector<std::string> fresh = symbols_beyond(stored.value().text, ours.text);
             !fresh.empty()) {
    what = msg::resume_new_symbols{.symbols = std::move(fresh)};
  } else if (stored.value().model != ours.model) {
    what = msg::resume_other_size{};
  } else if (stored.value().text.symbol_table_hash != ours.text.symbol_table_hash) {
    what = msg::resume_other_symbols{};
  } else if (stored.value().speakers != ours.speakers) {
    what = msg::resume_other_speakers{};
  }
  if (what) {
    throw MessageError(
        msg::resume_other_model{.folder = loaded.folder.string(), .what = std::move(what)});
  }
}

std::vector<LanguageTag> learned_languages(const LoadedCheckpoint& loaded,
                                           std::vector<LanguageTag> ours) {
  const Result<CheckpointState> stored = to_checkpoint_state(loaded.checkpoint.state);
  if (!stored || stored.value().languages.empty()) {
    return {};
  }
  for (const LanguageTag& language : stored.value().languages) {
    if (std::ranges::find(ours, language) == ours.end()) {
      ours.push_back(language);
    }
  }
  return ours;
}

}  // namespace qanat
