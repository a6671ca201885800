#include "training/train_inputs.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/loader_options.h"
#include "app/make_loader.h"
#include "audio/audio_decoder.h"
#include "audio/sample_format.h"
#include "dataset/data_view.h"
#include "dataset/problem.h"
#include "dataset/sound_findings.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_layouts.h"
#include "locale/messages/training.h"
#include "metrics/order_statistics.h"
#include "pipeline/clip_source.h"

namespace qanat {
namespace {

UtteranceSet first_utterances(const UtteranceSet& set, int count) {
  const auto size = std::min(set.manifest.utterances.size(), static_cast<std::size_t>(count));
  std::vector<std::uint32_t> items(size);
  std::iota(items.begin(), items.end(), 0U);
  UtteranceSet first{.manifest = select(set.manifest, items), .index = select(set.index, items)};
  return first;
}

// Texts that cannot be what is heard: mostly another column, or the rows of another set.
void note_paces(const UtteranceSet& set, const std::string& data, std::vector<MessageArg>& notes) {
  std::vector<double> paces;
  for (std::size_t i = 0; i < set.manifest.utterances.size(); ++i) {
    const Seconds length{static_cast<double>(set.index.entries[i].samples.value) /
                         static_cast<double>(kMel.sample_rate.value)};
    paces.push_back(pace_of(set.manifest.utterances[i].text, length));
  }
  if (const std::optional<double> pace = impossible_median(paces)) {
    notes.emplace_back(msg::set_set_pace{.data = data,
                                         .pace = plain(*pace, 1),
                                         .slowest = plain(kSlowestMedian, 0),
                                         .fastest = plain(kFastestMedian, 0)});
  }
  const std::ptrdiff_t count = std::ranges::count_if(paces, is_impossible_pace);
  if (count > 0) {
    notes.emplace_back(msg::set_impossible_pace{.count = count,
                                                .all = paces.size(),
                                                .pace = plain(median(paces), 1),
                                                .slowest = plain(kSlowestPace, 0),
                                                .fastest = plain(kFastestPace, 0),
                                                .data = data});
  }
}

Message describe_unknown_speakers(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t kShown = 5;
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + std::min(kShown, std::ssize(names)));
  if (std::ssize(names) > kShown) {
    shown.emplace_back("…");
  }
  return msg::set_unknown_speakers{.count = names.size(), .names = shown};
}

std::optional<TrainingSets> load_sets(const RunConfig& config,
                                      const TrainingSetOptions& options,
                                      const IndexSources& sources) {
  if (!config.training.overfit_one_batch) {
    return load_training_sets(options, sources);
  }
  const std::optional<UtteranceSet> whole =
      load_utterance_set(options.train_data, options, sources);
  if (!whole) {
    return std::nullopt;
  }
  return TrainingSets{.train = first_utterances(*whole, config.data.batch_size),
                      .rule = {.by = SplitRule::By::nothing}};
}

// A run that does not say otherwise continues with the split it has.
SplitOptions make_split(const RunConfig& config, const EarlierSplits& earlier) {
  const std::uint64_t stored = earlier.rules.empty() ? 0 : earlier.rules.back().seed;
  const std::optional<std::int64_t>& given = config.data.split_seed;
  return {.val_fraction = config.data.val_split,
          .seed = given ? static_cast<std::uint64_t>(*given) : stored,
          .earlier = earlier.rules,
          .earlier_is_guess = earlier.is_guess};
}

std::vector<SplitRule> with_rule(const EarlierSplits& earlier, const SplitRule& rule) {
  const bool is_wrong = earlier.is_guess && rule.by == SplitRule::By::files;
  std::vector<SplitRule> rules = is_wrong ? std::vector<SplitRule>{} : earlier.rules;
  std::erase(rules, rule);
  rules.push_back(rule);
  return rules;
}

// English and Persian first.
std::vector<LanguageTag> training_languages(const UtteranceSet& set) {
  std::set<std::pair<std::uint64_t, LanguageTag>> found;
  const LanguageTag* before = nullptr;
  for (const Utterance& utterance : set.manifest.utterances) {
    if (before == nullptr || *before != utterance.language) {
      const std::uint64_t place =
          utterance.language.reader() ? language_number(utterance.language) : 2;
      found.emplace(place, utterance.language);
      before = &utterance.language;
    }
  }
  std::vector<LanguageTag> languages;
  for (const auto& [place, language] : found) {
    languages.push_back(language);
  }
  return languages;
}

}  // namespace

std::optional<TrainInputs> load_train_inputs(const RunConfig& config,
                                             const ProgressFn& progress,
                                             const std::stop_token& stop,
                                             const EarlierSplits& earlier,
                                             FileCheck files) {
  TrainingSetOptions options = make_training_set_options(config, read_host_share());
  options.index.progress = progress;
  options.index.stop = stop;
  options.store.stop = stop;
  options.index.files = files;
  options.split = make_split(config, earlier);
  TrainInputs inputs;
  TextConfig reading = make_text_config(config.data);
  reading.learnt = earlier.symbols;
  const auto text = std::make_shared<TextFrontEnd>(reading);
  inputs.text = text;
  std::optional<TrainingSets> sets =
      load_sets(config,
                options,
                trains_vocoder(config.training) ? make_audio_index_sources(kMel.sample_rate)
                                                : make_index_sources(*text, kMel.sample_rate));
  if (!sets) {
    return std::nullopt;
  }
  inputs.train = std::make_shared<const UtteranceSet>(std::move(sets->train));
  if (sets->validation) {
    inputs.validation = std::make_shared<const UtteranceSet>(*std::move(sets->validation));
  }
  if (config.model.speaker_table && !trains_vocoder(config.training)) {
    inputs.speakers = speaker_names(inputs.train->manifest);
    if (inputs.validation) {
      const std::vector<std::string> unknown =
          unknown_speakers(inputs.validation->manifest, inputs.speakers);
      if (!unknown.empty()) {
        inputs.notes.emplace_back(describe_unknown_speakers(unknown));
      }
    }
  }
  inputs.splits = with_rule(earlier, sets->rule);
  inputs.languages = training_languages(*inputs.train);
  if (const std::int64_t rows = num_left_out(inputs.train->manifest); rows > 0) {
    inputs.notes.emplace_back(msg::set_left_out{.count = rows, .data = *config.data.train_data});
  }
  for (MessageArg& note : reading_notes(inputs.train->manifest)) {
    inputs.notes.push_back(std::move(note));
  }
  if (config.data.view) {
    std::ranges::copy(inputs.train->index.origin.notes, std::back_inserter(inputs.notes));
  }
  if (!trains_vocoder(config.training)) {
    note_paces(*inputs.train, *config.data.train_data, inputs.notes);
  }
  if (sets->kept > 0) {
    inputs.notes.emplace_back(msg::set_kept{
        .count = sets->kept,
        .validating = inputs.validation ? inputs.validation->manifest.utterances.size() : 0});
  }
  if (sets->note) {
    inputs.notes.emplace_back(*std::move(sets->note));
  }
  return inputs;
}

LoaderOptions validation_options(const RunConfig& config) {
  LoaderOptions options = make_loader_options(config, read_host_share(), 0);
  options.seed = 0;
  options.epochs = 1;
  options.workers = 1;
  options.window = 2;
  options.budget = mebibytes(1 << 20);  // they are all kept: their number is the bound
  return options;
}

std::size_t num_validation_clips(const RunConfig& config, const TrainInputs& inputs) {
  const auto wanted = static_cast<std::size_t>(config.training.validation_batches) *
                      static_cast<std::size_t>(config.data.batch_size);
  return inputs.validation ? std::min(wanted, inputs.validation->manifest.utterances.size()) : 0;
}

std::vector<ValidationClip> load_validation_clips(
    const TrainInputs& inputs,
    std::size_t count,
    Seconds most,
    const std::function<void(const MessageArg&)>& warn) {
  std::vector<ValidationClip> clips;
  const auto longest =
      static_cast<std::int64_t>(most.count() * static_cast<double>(kMel.sample_rate.value));
  AudioDecoder decoder(kMel.sample_rate);
  for (std::size_t item = 0; item < count; ++item) {
    const Manifest& manifest = inputs.validation->manifest;
    const SampleCount all = inputs.validation->index.entries[item].samples;
    const Result<AudioFile> file = open_clip(manifest, manifest.utterances[item]);
    const auto samples =
        file ? decoder.decode_pcm16(
                   file.value(),
                   {.first = first_sample(manifest.utterances[item], kMel.sample_rate),
                    .count = SampleCount{std::min(all.value, longest)}})
             : Result<std::span<const std::int16_t>>(file.failure());
    if (!samples) {
      warn(msg::set_refused{.file = audio_path(manifest, manifest.utterances[item]).string(),
                            .why = reason_of(samples.failure())});
      continue;
    }
    clips.push_back({.item = static_cast<std::uint32_t>(item),
                     .id = manifest.utterances[item].id,
                     .samples = {}});
    clips.back().samples.resize(samples.value().size());
    to_float(samples.value(), clips.back().samples);
  }
  return clips;
}

std::vector<Batch> load_validation_batches(const RunConfig& config, const TrainInputs& inputs) {
  std::vector<Batch> batches;
  const auto wanted = static_cast<std::size_t>(config.training.validation_batches);
  if (!inputs.validation || wanted == 0) {
    return batches;
  }
  const std::unique_ptr<Loader> loader =
      make_loader(config,
                  validation_options(config),
                  {.set = inputs.validation, .text = inputs.text, .speakers = inputs.speakers});
  while (batches.size() < wanted) {
    std::optional<Batch> batch = loader->next();
    if (!batch) {
      break;
    }
    batches.push_back(*std::move(batch));
  }
  return batches;
}

}  // namespace qanat
