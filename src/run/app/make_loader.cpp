#include "app/make_loader.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "dataset/damage_share.h"
#include "features/feature_fingerprint.h"
#include "features/feature_store.h"
#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"
#include "locale/translator.h"
#include "pipeline/cached_row_source.h"
#include "pipeline/precompute_folder.h"
#include "pipeline/store_row_source.h"

namespace qanat {
namespace {

LeftOut left_out(const Manifest& manifest, const DatasetProblem& problem) {
  return {.id = problem.id,
          .file = problem.audio.empty() ? "" : (manifest.root / problem.audio).string(),
          .manifest = manifest.sources.at(problem.source),
          .line = problem.line,
          .problem = std::string(to_string(problem.kind)),
          .reason = Translator().said(problem.detail)};
}

// Journals a `left_out` event for every utterance of the set that is not used, with file and
// reason. Throws Error when the share of those that are damaged (unreadable, missing, no usable
// row) is above `max_bad_fraction`; those that are only too long or too short do not count.
// `journal` may be null.
void report_left_out(const UtteranceSet& set, double max_bad_fraction, EventSink* journal) {
  const Manifest& manifest = set.manifest;
  for (const DatasetProblem& problem : manifest.problems) {
    if (journal != nullptr && severity_of(problem.kind) == Severity::error) {
      journal->record(left_out(manifest, problem));
    }
  }
  const DamageShare share =
      damage_share(static_cast<std::int64_t>(manifest.utterances.size()), manifest.problems);
  if (const auto why = why_too_damaged(manifest, share, max_bad_fraction)) {
    throw MessageError(*why);
  }
}

// One per utterance: the place of its speaker among the names the request gives; behind those, a
// number for each speaker of the set who is not among them.
std::vector<int> speaker_ids(const LoaderRequest& request) {
  const Manifest& manifest = request.set->manifest;
  std::vector<std::string> names = request.speakers;
  const auto known = static_cast<std::ptrdiff_t>(names.size());
  const std::vector<std::string> unknown = unknown_speakers(manifest, request.speakers);
  names.insert(names.end(), unknown.begin(), unknown.end());
  const auto place_of = [&](const std::string& speaker) {
    const auto found = std::lower_bound(names.begin(), names.begin() + known, speaker);
    const bool is_known = found != names.begin() + known && *found == speaker;
    return (is_known ? found : std::lower_bound(names.begin() + known, names.end(), speaker)) -
           names.begin();
  };
  std::vector<int> ids;
  ids.reserve(manifest.utterances.size());
  for (const Utterance& utterance : manifest.utterances) {
    ids.push_back(static_cast<int>(place_of(utterance.speaker)));
  }
  return ids;
}

// The same as rows carry them; batches are planned by the others.
std::vector<int> row_speakers(const LoaderRequest& request) {
  std::vector<int> ids = speaker_ids(request);
  if (request.unknown_speakers == UnknownSpeakers::one_id) {
    std::ranges::replace_if(
        ids, [&](int id) { return id >= std::ssize(request.speakers); }, kUnknownSpeaker);
  }
  return ids;
}

// Shards that may serve, or null.
std::shared_ptr<const FeatureStore> open_store(const RunConfig& config,
                                               const LoaderRequest& request) {
  const bool wanted = config.data.preprocessing_mode != PreprocessingMode::runtime;
  const bool is_plain = !request.clips && !request.read_tokens;  // what `qanat precompute` stores
  if (!wanted || !is_plain || request.payload != PayloadKind::mel_f32) {
    return nullptr;
  }
  const auto tell = [&request](const std::string& reason) {
    if (request.journal != nullptr) {
      request.journal->record(DamagedFeatures{.reason = reason});
    }
  };
  const auto open = [&](const std::filesystem::path& folder) {
    return std::make_shared<const FeatureStore>(
        FeatureStore::open(folder, feature_fingerprint(request.mel, request.text->hash())));
  };
  std::shared_ptr<const FeatureStore> store;
  if (config.data.feature_dir) {
    store = open(*config.data.feature_dir);
  } else {
    try {  // a folder that nobody has named is not needed
      const auto found = find_feature_folder(request.set->manifest.root);
      store = found ? open(*found) : nullptr;
    } catch (const Error& refused) {
      tell(Translator().said(reason_of(refused)));
    }
  }
  if (store == nullptr) {
    return nullptr;
  }
  for (const FeatureStore::RefusedShard& shard : store->refused()) {
    tell(shard.reason);
  }
  return store->size() > 0 ? store : nullptr;
}

std::unique_ptr<RowSource> with_cache(std::unique_ptr<RowSource> source,
                                      const RunConfig& config,
                                      const LoaderRequest& request) {
  const Bytes budget = feature_cache_budget(config, read_host_share());
  if (budget == Bytes{0}) {
    return source;
  }
  PayloadFormat format = payload_format(request.payload, request.mel);
  format.mel_beside_pcm = request.mel_beside_pcm;
  return std::make_unique<CachedRowSource>(
      std::move(source), request.set->manifest.utterances.size(), format, budget);
}

std::unique_ptr<RowSource> make_source(const RunConfig& config, const LoaderRequest& request) {
  if (const std::optional<SegmentOptions> segment = segment_options(config)) {
    return std::make_unique<SegmentRowSource>(SegmentRowInputs{.set = request.set,
                                                               .speakers = row_speakers(request),
                                                               .mel = request.mel,
                                                               .segment = *segment,
                                                               .predicted = request.predicted});
  }
  std::shared_ptr<const FeatureStore> store = open_store(config, request);
  const bool only_store = config.data.preprocessing_mode == PreprocessingMode::precompute &&
                          request.payload == PayloadKind::mel_f32;
  if (only_store && store == nullptr) {
    throw MessageError(msg::features_none{.data = request.set->manifest.root.string()});
  }
  std::unique_ptr<RowSource> audio =
      only_store ? nullptr : with_cache(make_audio_source(request), config, request);
  if (store == nullptr) {
    return audio;
  }
  return std::make_unique<StoreRowSource>(StoreRowInputs{.set = request.set,
                                                         .store = std::move(store),
                                                         .speakers = row_speakers(request),
                                                         .mel_bins = request.mel.mel_bins,
                                                         .fallback = std::move(audio),
                                                         .journal = request.journal});
}

std::unique_ptr<RowSource> around(std::unique_ptr<RowSource> source, const LoaderRequest& request) {
  return request.around_source ? request.around_source(std::move(source)) : std::move(source);
}

RowFn with_names(const LoaderRequest& request) {
  if (!request.on_row) {
    return nullptr;
  }
  return [set = request.set, tell = request.on_row](RowSpan span) {
    span.utterance = set->manifest.utterances[span.item].id;
    tell(std::move(span));
  };
}

}  // namespace

std::vector<ItemLength> row_lengths(const RunConfig& config,
                                    const DatasetIndex& index,
                                    const MelConfig& mel) {
  const std::optional<SegmentOptions> segment = segment_options(config);
  return segment ? segment_lengths(index, *segment) : item_lengths(index, mel);
}

std::unique_ptr<RowSource> make_audio_source(const LoaderRequest& request) {
  return std::make_unique<AudioRowSource>(AudioRowInputs{.set = request.set,
                                                         .text = request.text,
                                                         .read_tokens = request.read_tokens,
                                                         .clips = request.clips,
                                                         .speakers = row_speakers(request),
                                                         .mel = request.mel,
                                                         .payload = request.payload,
                                                         .mel_beside_pcm = request.mel_beside_pcm});
}

std::unique_ptr<Loader> make_loader(const RunConfig& config,
                                    const LoaderOptions& options,
                                    LoaderRequest request) {
  // All ranks have the same set: one of them names what is not used.
  report_left_out(
      *request.set, options.max_bad_fraction, request.rank == 0 ? request.journal : nullptr);
  if (segment_options(config)) {
    request.payload = PayloadKind::pcm_s16;
  }
  LoaderOptions complete = options;
  complete.payload = payload_format(request.payload, request.mel);
  complete.payload.mel_beside_pcm = request.mel_beside_pcm || request.predicted != nullptr;
  complete.rank = request.rank;
  complete.world = request.world;
  complete.group = request.group;
  if (request.is_counted_by_consumer) {
    complete.max_bad_fraction = 1;
  }
  LoaderInputs inputs{.lengths = row_lengths(config, request.set->index, request.mel),
                      .speakers = speaker_ids(request),
                      .weights = request.weights,
                      .source = around(make_source(config, request), request),
                      .blocks = std::move(request.blocks),
                      .journal = request.journal,
                      .on_row = with_names(request),
                      .on_bad = request.on_bad};
  return std::make_unique<Loader>(std::move(inputs), complete, request.start);
}

std::unique_ptr<Loader> make_loader(const RunConfig& config, LoaderRequest request) {
  const LoaderOptions options =
      make_loader_options(config, read_host_share(), request.consumer_threads);
  return make_loader(config, options, std::move(request));
}

std::vector<std::string> speaker_names(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const Utterance& utterance : manifest.utterances) {
    if (names.empty() || names.back() != utterance.speaker) {
      names.push_back(utterance.speaker);  // runs of one speaker are the rule
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> unknown_speakers(const Manifest& manifest,
                                          const std::vector<std::string>& known) {
  const std::vector<std::string> names = speaker_names(manifest);
  std::vector<std::string> unknown;
  std::ranges::set_difference(names, known, std::back_inserter(unknown));
  return unknown;
}

PayloadFormat payload_format(PayloadKind kind, const MelConfig& mel) {
  return {.kind = kind, .mel_bins = mel.mel_bins, .hop = mel.hop, .mel_padding = silent_mel(mel)};
}

PayloadFormat trained_format(const RunConfig& config) {
  PayloadFormat format = payload_format(trained_payload(config));
  format.mel_beside_pcm = reads_predicted_mel(config);
  return format;
}

}  // namespace qanat
