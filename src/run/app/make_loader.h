// From a configuration and a data set to a running loader.
//
// The one place where audio, text, features and batches meet; used by everything that loads:
// benchmark, demo, trainer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/loader_options.h"
#include "batch/bucket_edges.h"
#include "config/run_config.h"
#include "dataset/training_sets.h"
#include "features/mel_config.h"
#include "pipeline/audio_row_source.h"
#include "pipeline/clip_source.h"
#include "pipeline/loader.h"
#include "text/text_front_end.h"

namespace qanat {

// What rows carry for speakers that are not among those of a request.
enum class UnknownSpeakers {
  numbered,  // each its own, behind the known: a trainer tells them apart
  one_id,    // kUnknownSpeaker: whoever takes ids for places in a list
};
inline constexpr int kUnknownSpeaker = -1;

// What is loaded and for whom. `set` and `text` are shared with the caller, who reports on them.
struct LoaderRequest {
  std::shared_ptr<const UtteranceSet> set;
  std::shared_ptr<const TextFrontEnd> text;
  // Sorted: the id of a speaker is its place here.
  std::vector<std::string> speakers{};
  UnknownSpeakers unknown_speakers = UnknownSpeakers::numbered;
  PayloadKind payload = PayloadKind::mel_f32;
  bool mel_beside_pcm = false;  // PCM and the log-mel of the same samples
  MelConfig mel = kMel;
  ReadTokens read_tokens{};                   // instead of those that `text` makes
  std::shared_ptr<const ClipSource> clips{};  // shared with the index; null: files of the set
  std::vector<double> weights{};              // of every utterance; empty: each comes once an epoch
  int consumer_threads = 0;                   // cores left to the consumer
  int rank = 0;
  int world = 1;
  std::optional<int> group{};  // as in LoaderOptions
  // The consumer counts the bad rows of all ranks: this one's share says little about the set.
  bool is_counted_by_consumer = false;
  Position start{};
  std::unique_ptr<BlockAllocator> blocks{};  // absent: plain host memory
  EventSink* journal = nullptr;              // not owned, outlives the loader; may be absent
  // Puts another source around the one that rows come from: for self-tests, which inject faults.
  // Absent otherwise.
  std::function<std::unique_ptr<RowSource>(std::unique_ptr<RowSource>)> around_source{};
  RowFn on_row{};  // told of every row, with its name; may be absent
  BadRowFn on_bad{};
  // Predicted mel of every utterance; shared with the run. Null: a vocoder trains on recordings.
  std::shared_ptr<const PredictedMel> predicted{};
};

// Rows come from fresh shards, from memory or from audio, as data.preprocessing_mode and
// pipeline.feature_cache say. Those that a vocoder is trained on are segments of audio, whatever
// the payload asked for. Starts filling at once. Throws Error when there is nothing to load,
// or when only shards are allowed and there are none.
std::unique_ptr<Loader> make_loader(const RunConfig& config, LoaderRequest request);

// As above, for those who know better than the configuration.
std::unique_ptr<Loader> make_loader(const RunConfig& config,
                                    const LoaderOptions& options,
                                    LoaderRequest request);

// How long the rows of a set are in batches: utterances, or the segments a vocoder is trained on.
std::vector<ItemLength> row_lengths(const RunConfig& config,
                                    const DatasetIndex& index,
                                    const MelConfig& mel = kMel);

// The rows of a set as they are made from audio: what `qanat precompute` stores.
std::unique_ptr<RowSource> make_audio_source(const LoaderRequest& request);

// How batches of this kind are laid out.
PayloadFormat payload_format(PayloadKind kind, const MelConfig& mel = kMel);
// How those of a run are that arrive at the model device.
PayloadFormat trained_format(const RunConfig& config);

// The speakers a manifest names, sorted.
std::vector<std::string> speaker_names(const Manifest& manifest);
// Those who are not among `known`, which is sorted.
std::vector<std::string> unknown_speakers(const Manifest& manifest,
                                          const std::vector<std::string>& known);

}  // namespace qanat
