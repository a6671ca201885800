#include "speech/mel_prediction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "audio/audio_decoder.h"
#include "base/content_hash.h"
#include "checkpoint/find_checkpoint.h"
#include "checkpoint_files/checkpoint_seal.h"
#include "dataset/data_view.h"
#include "features/feature_store_writer.h"
#include "features/mel_extractor.h"
#include "features/verified_shards.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/speech_errors.h"
#include "monitor/host_facts.h"
#include "pipeline/clip_source.h"
#include "speech/chosen_checkpoint.h"
#include "speech/speech_model.h"
#include "train/reference_crops.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

// Raised when other mel is made of the same model and recording: that of before is not used.
constexpr int kPredictionVersion = 1;

LoadedCheckpoint load_source(const fs::path& path, const WarnFn& warn) {
  Result<std::optional<LoadedCheckpoint>> found = find_checkpoint(
      {.path = path, .parts = {.weights = false, .ema = false, .optimizer = false}, .warn = warn});
  if (!found) {
    throw MessageError(
        msg::mel_from_damaged{.path = path.string(), .reason = reason_of(found.failure())});
  }
  if (!found.value()) {
    throw MessageError(msg::mel_from_none{.path = path.string()});
  }
  return *std::move(found).value();
}

// Not of the path: a checkpoint that was moved or copied predicts the same.
std::uint64_t identity_of(const LoadedCheckpoint& loaded, const CheckpointState& state) {
  const Result<CheckpointSeal> seal = read_seal(loaded.folder);
  if (!seal) {
    throw MessageError(
        msg::mel_from_damaged{.path = loaded.folder.string(), .reason = reason_of(seal.failure())});
  }
  ContentHasher hasher;
  hasher.add(kPredictionVersion).add(make_text_front_end(state.text)->hash());
  for (const auto& [name, file] : seal.value().files) {
    hasher.add(name).add(file.bytes).add(file.checksum);
  }
  return hasher.value();
}

// Whose mel each utterance is shown as the voice: the next of its speaker, as Validator does;
// itself where there is no other.
std::vector<std::uint32_t> reference_items(const Manifest& manifest) {
  std::vector<std::uint32_t> references(manifest.utterances.size());
  std::map<std::string_view, std::vector<std::uint32_t>> by_speaker;
  for (std::uint32_t item = 0; item < references.size(); ++item) {
    by_speaker[manifest.utterances[item].speaker].push_back(item);
  }
  for (const auto& [speaker, items] : by_speaker) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      references[items[i]] = items[(i + 1) % items.size()];
    }
  }
  return references;
}

// What the mel of an utterance depends on besides the model.
FeatureKey prediction_key(const UtteranceSet& set, std::uint32_t item, std::uint32_t reference) {
  const Utterance& utterance = set.manifest.utterances[item];
  const FileIdentity& shown = set.index.entries[reference].identity;
  ContentHasher hasher;
  hasher.add(utterance.text)
      .add(language_number(utterance.language))
      .add(utterance.speaker)
      .add(set.manifest.utterances[reference].id)
      .add(shown.size.value)
      .add(shown.modified_ns);
  // Keys from before views do not know them.
  if (utterance.kept) {
    hasher.add(utterance.kept->from.count()).add(utterance.kept->to.count());
  }
  return {.audio = set.index.entries[item].identity, .text_hash = hasher.value()};
}

// Makes the mel of one utterance after the other.
class UtterancePredictor {
 public:
  UtterancePredictor(SpeechModel& model, const UtteranceSet& set, FrameCount max_frames)
      : model_(model),
        set_(set),
        max_frames_(max_frames),
        decoder_(model.state().mel.sample_rate),
        extractor_(model.state().mel) {}

  struct Prediction {
    std::vector<float> mel;  // [frames, mel_bins]
    TokenIds tokens;         // that were read; none: the mel is that of the recording
  };

  // A Failure when the recording cannot be read.
  Result<Prediction> predict(std::uint32_t item, std::uint32_t reference) {
    Result<std::vector<float>> recorded = mel_of(item);
    if (!recorded) {
      return recorded.failure();
    }
    const Utterance& utterance = set_.manifest.utterances[item];
    Result<TextReading> reading = model_.text().read(utterance.text, utterance.language);
    if (reading && num_frames(recorded.value()) <= max_frames_.value) {
      const std::vector<float> voice = voice_of(item, reference, recorded.value());
      Result<std::vector<float>> mel =
          model_.predict(reading.value().ids,
                         recorded.value(),
                         {.reference = voice, .speaker = speaker_of(utterance)});
      if (mel && std::ranges::all_of(mel.value(), [](float x) { return std::isfinite(x); })) {
        return Prediction{.mel = std::move(mel).value(), .tokens = std::move(reading).value().ids};
      }
    }
    return Prediction{.mel = std::move(recorded).value(), .tokens = {}};
  }

 private:
  std::int64_t num_frames(const std::vector<float>& mel) const {
    return static_cast<std::int64_t>(mel.size()) / model_.state().mel.mel_bins;
  }

  Result<std::vector<float>> mel_of(std::uint32_t item) {
    const MelConfig& config = model_.state().mel;
    const Result<AudioFile> file = open_clip(set_.manifest, set_.manifest.utterances[item]);
    const Result<std::span<const float>> samples =
        file ? decoder_.decode(file.value()) : Result<std::span<const float>>(file.failure());
    if (!samples) {
      const Utterance& utterance = set_.manifest.utterances[item];
      return to_failure(msg::set_refused{.file = audio_path(set_.manifest, utterance).string(),
                                         .why = reason_of(samples.failure())});
    }
    const std::span<const float> kept =
        kept_of(samples.value(), set_.manifest.utterances[item], config.sample_rate);
    const SampleCount count{static_cast<std::int64_t>(kept.size())};
    std::vector<float> mel(
        static_cast<std::size_t>(mel_frames(count, config).value * config.mel_bins));
    if (!mel.empty()) {
      extractor_.extract(kept, mel);
    }
    return mel;
  }

  std::vector<float> voice_of(std::uint32_t item,
                              std::uint32_t reference,
                              const std::vector<float>& own) {
    if (reference != item) {
      if (Result<std::vector<float>> other = mel_of(reference)) {
        std::vector<float> voice = std::move(other).value();
        const auto frames = static_cast<int>(num_frames(voice));
        voice.resize(values_of(longest_reference(frames)));
        return voice;
      }
    }
    std::vector<float> voice = own;
    voice.resize(values_of(most_of_own(static_cast<int>(num_frames(own)))));
    return voice;
  }

  std::size_t values_of(int frames) const {
    return static_cast<std::size_t>(frames) * static_cast<std::size_t>(model_.state().mel.mel_bins);
  }

  std::optional<int> speaker_of(const Utterance& utterance) const {
    const std::vector<std::string>& known = model_.state().speakers;
    const auto found = std::ranges::find(known, utterance.speaker);
    return found == known.end() ? std::nullopt
                                : std::optional(static_cast<int>(found - known.begin()));
  }

  SpeechModel& model_;
  const UtteranceSet& set_;
  const FrameCount max_frames_;
  AudioDecoder decoder_;
  MelExtractor extractor_;
};

// The number of threads of this thread's libtorch, put back at the end.
class TorchThreads {
 public:
  explicit TorchThreads(int threads) : before_(torch::get_num_threads()) {
    torch::set_num_threads(threads);
  }
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;
  ~TorchThreads() { torch::set_num_threads(before_); }

 private:
  const int before_;
};

class MelPredictor {
 public:
  explicit MelPredictor(const MelPredictionRequest& request)
      : request_(request),
        references_(reference_items(request.set.manifest)),
        settings_{
            .fingerprint =
                ContentHasher().add(request.source.identity).add(request.max_frames.value).value(),
            .mel_bins = static_cast<std::uint32_t>(MelConfig{}.mel_bins)},
        verified_(request.folder) {}

  std::optional<MelPrediction> run() {
    FeatureStore store = open();
    store.require_readable();
    std::vector<std::uint32_t> missing;
    std::vector<bool> is_used(store.shards().size());
    look_up_verified(store);
    for (std::uint32_t item = 0; item < request_.count; ++item) {
      if (const std::optional<FeatureEntry> entry = find(store, item)) {
        is_used[entry->shard] = true;
      } else if (request_.share.has(item)) {
        missing.push_back(item);
      }
    }
    if (!missing.empty()) {
      make_folders(request_.folder, "--checkpoint-dir");
      const FeatureFolderLock lock = FeatureFolderLock::acquire(request_.folder, request_.share);
      if (request_.share.rank == 0) {
        remove_useless(store, is_used);
      }
      if (!predict(missing, lock)) {
        return std::nullopt;
      }
      store = open();
    }
    if (request_.share.world == 1) {
      keep_verified(store);
    }
    return collect(std::move(store));
  }

 private:
  FeatureStore open() const { return FeatureStore::open(request_.folder, settings_.fingerprint); }

  const std::string& id_of(std::uint32_t item) const {
    return request_.set.manifest.utterances[item].id;
  }
  FeatureKey key_of(std::uint32_t item) const {
    return prediction_key(request_.set, item, references_[item]);
  }

  // What is stored of an utterance, when it is what would be predicted now, and whole.
  std::optional<FeatureEntry> find(const FeatureStore& store, std::uint32_t item) {
    const Result<FeatureEntry> entry = store.lookup(id_of(item), key_of(item));
    if (!entry) {
      return std::nullopt;
    }
    const std::uint32_t shard = entry.value().shard;
    const bool is_checked = is_verified_[shard] || !request_.share.has(item);  // by another process
    if (!is_checked && !store.intact(entry.value(), scratch_)) {
      damaged_.insert(store.shards()[shard].path);
      return std::nullopt;
    }
    return entry.value();
  }

  void look_up_verified(const FeatureStore& store) {
    for (const FeatureStore::Shard& shard : store.shards()) {
      is_verified_.push_back(verified_.has(shard.path));
    }
  }

  // All that was read, and what was written just now.
  void keep_verified(const FeatureStore& store) {
    std::vector<fs::path> whole;
    for (const FeatureStore::Shard& shard : store.shards()) {
      if (!damaged_.contains(shard.path)) {
        whole.push_back(shard.path);
      }
    }
    verified_.keep(whole);
  }

  // Shards of which nothing is used would stay for ever.
  static void remove_useless(const FeatureStore& store, const std::vector<bool>& is_used) {
    std::error_code ignored;
    for (std::size_t i = 0; i < is_used.size(); ++i) {
      if (!is_used[i]) {
        fs::remove(store.shards()[i].path, ignored);
      }
    }
    for (const FeatureStore::RefusedShard& shard : store.refused()) {
      fs::remove(shard.path, ignored);
    }
  }

  // False when stopped.
  bool predict(const std::vector<std::uint32_t>& missing, const FeatureFolderLock& lock) {
    const ChosenCheckpoint chosen = open_checkpoint({.path = request_.source.folder},
                                                    [this](const Message& text) { warn(text); });
    const TorchThreads threads(
        speech_threads(chosen.model->state().model.size, allowed_cores(read_host_facts())));
    UtterancePredictor predictor(*chosen.model, request_.set, request_.max_frames);
    FeatureStoreWriter writer(lock, settings_);
    std::size_t done = request_.count - missing.size();
    for (const std::uint32_t item : missing) {
      if (request_.stop.stop_requested()) {
        writer.finish();
        return false;
      }
      const auto made = predictor.predict(item, references_[item]);
      if (made) {  // else its rows fail, and are counted there
        writer.add({.id = id_of(item),
                    .key = key_of(item),
                    .mel = made.value().mel,
                    .tokens = made.value().tokens});
      }
      if (request_.progress) {
        request_.progress(static_cast<std::int64_t>(++done),
                          static_cast<std::int64_t>(request_.count));
      }
    }
    writer.finish();
    return true;
  }

  void warn(const Message& text) const {
    if (request_.warn) {
      request_.warn(text);
    }
  }

  MelPrediction collect(FeatureStore store) {
    MelPrediction prediction;
    std::vector<std::optional<FeatureEntry>> entries;
    for (std::uint32_t item = 0; item < request_.count; ++item) {
      const Result<FeatureEntry> entry = store.lookup(id_of(item), key_of(item));
      entries.push_back(entry ? std::optional(entry.value()) : std::nullopt);
      if (entry && entry.value().tokens == TokenCount{0}) {
        prediction.own.push_back(id_of(item));
      }
    }
    prediction.mel = std::make_shared<const PredictedMel>(
        std::move(store), std::move(entries), silent_mel(MelConfig{}));
    return prediction;
  }

  const MelPredictionRequest& request_;
  const std::vector<std::uint32_t> references_;  // of every utterance
  const ShardSettings settings_;
  VerifiedShards verified_;
  std::vector<bool> is_verified_;  // by shard
  std::set<fs::path> damaged_;     // shards with an entry that is
  PageBuffer scratch_;
};

}  // namespace

MelSource find_mel_source(const fs::path& path, const std::function<void(const Message&)>& warn) {
  const LoadedCheckpoint loaded = load_source(path, warn);
  if (stored_task(loaded.checkpoint.state) == TrainingTask::vocoder) {
    throw MessageError(msg::mel_from_vocoder{.path = path.string()});
  }
  const Result<CheckpointState> state = to_checkpoint_state(loaded.checkpoint.state);
  if (!state) {
    throw MessageError(
        msg::mel_from_damaged{.path = path.string(), .reason = reason_of(state.failure())});
  }
  if (state.value().mel != MelConfig{}) {
    throw MessageError(msg::mel_from_other_mel{.path = path.string()});
  }
  return {
      .folder = loaded.folder, .step = loaded.step, .identity = identity_of(loaded, state.value())};
}

std::optional<MelPrediction> predict_mel(const MelPredictionRequest& request) {
  return MelPredictor(request).run();
}

}  // namespace qanat
