#include "capi/loader_set.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "app/loader_options.h"
#include "audio/audio_source.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "dataset/given_rows.h"
#include "dataset/index_cache.h"
#include "locale/message_error.h"
#include "locale/messages/loader_rows.h"
#include "locale/messages/speech_errors.h"
#include "monitor/host_facts.h"

namespace qanat {
namespace {

using SharedTokens = std::shared_ptr<const std::vector<TokenIds>>;

std::size_t position_of(const Utterance& utterance) {
  return static_cast<std::size_t>(utterance.line) - 1;
}

std::filesystem::path rows_root(const LoaderSettings& settings) {
  const std::filesystem::path root = settings.rows_root.value_or(".");
  return (std::filesystem::absolute(root) / "").lexically_normal().parent_path();
}

TrainingSetOptions set_options(const LoaderSettings& settings,
                               const RowTable* rows,
                               const std::stop_token& stop) {
  RunConfig config = settings.config;
  if (rows != nullptr) {
    config.data.train_data = rows_root(settings).string();
  }
  TrainingSetOptions options = make_training_set_options(config, read_host_facts());
  const MelConfig& mel = settings.mel;
  options.text = settings.text;
  options.limits.rate = mel.sample_rate;
  options.limits.hop = mel.hop;
  options.limits.min_samples = SampleCount{mel.sample_rate.value / 10};
  if (mel.frames == MelFrames::points) {
    --options.limits.max_frames.value;  // limits count whole hops
  }
  options.index.stop = stop;
  options.store.stop = stop;
  if (rows != nullptr && settings.rows_root && options.index.cache_folders.empty()) {
    options.index.cache_folders = index_cache_folders(rows_root(settings));
  }
  return options;
}

// Tokens that came with the rows, or none at all; empty: those of the front end.
ReadTokens tokens_of(const LoaderSettings& settings, const SharedTokens& given) {
  if (settings.text != TextUse::tokens) {
    return [](const Utterance&) -> Result<TokenIds> { return TokenIds{0}; };
  }
  if (given->empty()) {
    return {};
  }
  return [given](const Utterance& utterance) -> Result<TokenIds> {
    const TokenIds& tokens = (*given)[position_of(utterance)];
    return tokens.empty() ? Result<TokenIds>(to_failure(msg::row_no_tokens{})) : tokens;
  };
}

// Identifies stored lengths: what was counted of other tokens does not hold.
std::uint64_t hash_of(const std::vector<TokenIds>& tokens, std::uint64_t settings_hash) {
  ContentHasher hasher;
  hasher.add(settings_hash);
  for (const TokenIds& ids : tokens) {
    hasher.add(ids.size());
  }
  return hasher.value();
}

IndexSources index_sources(const LoaderSettings& settings,
                           const LoaderSet& set,
                           const SharedTokens& given,
                           TextFrontEnd& text) {
  const SampleRate rate = settings.mel.sample_rate;
  IndexSources sources = settings.text == TextUse::tokens ? make_index_sources(text, rate)
                                                          : make_audio_index_sources(rate);
  if (set.read_tokens && settings.text == TextUse::tokens) {
    sources.count_tokens = [read = set.read_tokens](const Utterance& utterance) {
      const Result<TokenIds> ids = read(utterance);
      return ids ? Result<TokenCount>(TokenCount{std::ssize(ids.value())}) : ids.failure();
    };
    sources.settings_hash = hash_of(*given, sources.settings_hash);
  }
  if (set.clips) {
    sources.identify = [clips = set.clips](const Utterance& utterance) {
      return clips->identity(utterance);
    };
    sources.measure = [clips = set.clips, rate](const Utterance& utterance) -> Result<SampleCount> {
      const Result<AudioFile> file = clips->open(utterance);
      const Result<AudioHeader> header =
          file ? read_audio_header(file.value()) : Result<AudioHeader>(file.failure());
      if (!header) {
        return header.failure();
      }
      return resampled_length(header.value().samples, header.value().rate, rate);
    };
  }
  return sources;
}

Manifest manifest_of(const RowTable& rows, const LoaderSettings& settings) {
  // With tokens in the rows nobody has to be able to read the text.
  const bool is_read = settings.text == TextUse::tokens && rows.tokens.empty();
  return make_manifest(rows.rows,
                       {.root = rows_root(settings),
                        .language = settings.config.data.language,
                        .text = is_read ? TextUse::tokens : TextUse::kept});
}

// Those of the rows; divided by their sum over a speaker where speakers have equal shares; times
// that of the speaker.
std::vector<double> weights_of(const LoaderSettings& settings,
                               const RowTable* rows,
                               const Manifest& manifest) {
  const bool by_row = rows != nullptr && !rows->weights.empty();
  if (!by_row && settings.balance == Balance::none && settings.speaker_weights.empty()) {
    return {};
  }
  std::vector<double> weights;
  std::unordered_map<std::string, double> of_speaker;
  for (const Utterance& utterance : manifest.utterances) {
    weights.push_back(by_row ? rows->weights[position_of(utterance)] : 1);
    of_speaker[utterance.speaker] += weights.back();
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string& speaker = manifest.utterances[i].speaker;
    const auto found = settings.speaker_weights.find(speaker);
    if (settings.balance == Balance::speakers && of_speaker[speaker] > 0) {
      weights[i] /= of_speaker[speaker];
    }
    weights[i] *= found == settings.speaker_weights.end() ? 1 : found->second;
  }
  if (std::ranges::none_of(weights, [](double weight) { return weight > 0; })) {
    throw MessageError(msg::row_no_weight{});
  }
  return weights;
}

std::vector<std::string> languages_of(const RowTable* rows, const Manifest& manifest) {
  std::vector<std::string> languages;
  if (rows != nullptr) {
    for (const Utterance& utterance : manifest.utterances) {
      languages.push_back(rows->rows[position_of(utterance)].language);
    }
  }
  return languages;
}

// The set as a whole, or the part of it that is asked for, and whose speakers have numbers.
struct Part {
  UtteranceSet set;
  std::vector<std::string> speakers;
};

std::optional<Part> whole(std::optional<UtteranceSet> set) {
  if (!set) {
    return std::nullopt;
  }
  std::vector<std::string> speakers = speaker_names(set->manifest);
  return Part{*std::move(set), std::move(speakers)};
}

std::int32_t num_symbols(const LoaderSettings& settings,
                         const std::vector<TokenIds>& given,
                         const TextFrontEnd& text) {
  if (settings.text != TextUse::tokens) {
    return 0;
  }
  std::int32_t largest = -1;
  for (const TokenIds& ids : given) {
    largest = ids.empty() ? largest : std::max(largest, std::ranges::max(ids));
  }
  return given.empty() ? text.tokenizer().size() : largest + 1;
}

std::optional<Part> part_of(std::optional<TrainingSets> sets, SetPart part) {
  if (!sets) {
    return std::nullopt;
  }
  std::vector<std::string> speakers = speaker_names(sets->train.manifest);
  if (part == SetPart::train) {
    return Part{std::move(sets->train), std::move(speakers)};
  }
  if (!sets->validation) {
    throw MessageError(sets->note.value_or(msg::capi_no_validation{}));
  }
  return Part{*std::move(sets->validation), std::move(speakers)};
}

}  // namespace

nlohmann::json read_rows(const LoaderSettings& settings) {
  const TrainingSetOptions options = set_options(settings, nullptr, {});
  // Whoever asks for them has another use for the texts.
  const Manifest manifest = read_manifest({.data = options.train_data,
                                           .language = options.language,
                                           .text = TextUse::kept,
                                           .columns = options.columns,
                                           .store = options.store});
  nlohmann::json rows = nlohmann::json::array();
  for (const Utterance& utterance : manifest.utterances) {
    rows.push_back({{"id", utterance.id},
                    {"path", audio_path(manifest, utterance).string()},
                    {"text", utterance.text},
                    {"speaker", utterance.speaker},
                    {"language", to_string(utterance.language)},
                    {"part", static_cast<int>(utterance.split)}});
  }
  return rows;
}

std::optional<LoaderSet> open_set(const LoaderSettings& settings,
                                  const RowTable* rows,
                                  const std::shared_ptr<TextFrontEnd>& text,
                                  const std::stop_token& stop) {
  LoaderSet opened;
  const auto given = std::make_shared<const std::vector<TokenIds>>(
      rows != nullptr ? rows->tokens : std::vector<TokenIds>());
  opened.read_tokens = tokens_of(settings, given);
  if (rows != nullptr) {
    opened.clips = std::make_shared<const MemoryClips>(rows_root(settings), rows->clips);
  }
  const TrainingSetOptions options = set_options(settings, rows, stop);
  const IndexSources sources = index_sources(settings, opened, given, *text);
  std::optional<Part> part;
  if (rows != nullptr) {
    Manifest manifest = manifest_of(*rows, settings);
    part = settings.part == SetPart::all
               ? whole(measure_manifest(std::move(manifest), options, sources))
               : part_of(divide_manifest(std::move(manifest), options, sources), settings.part);
  } else {
    part = settings.part == SetPart::all
               ? whole(load_utterance_set(options.train_data, options, sources))
               : part_of(load_training_sets(options, sources), settings.part);
  }
  if (!part) {
    return std::nullopt;
  }
  opened.weights = weights_of(settings, rows, part->set.manifest);
  opened.languages = languages_of(rows, part->set.manifest);
  opened.num_symbols = num_symbols(settings, *given, *text);
  opened.speakers = std::move(part->speakers);
  opened.set = std::make_shared<const UtteranceSet>(std::move(part->set));
  return opened;
}

}  // namespace qanat
