// What a trained speech model makes of the recordings of a set: log-mel with their frames, because
// the durations are those of its aligner. A vocoder that is trained on it learns what it will hear.
//
// Predictions are kept in the shards of a folder, each with what it was made from. What is there
// and whole is not predicted again (a shard is read to its end once, not at every start); what is
// damaged, or was made by another checkpoint or from another recording, text, speaker or reference,
// is.
//
// An utterance that the model cannot read (no symbols for its text, more symbols than frames, too
// long) keeps the mel of its recording: its sound is as good as that of others, its text is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "dataset/training_sets.h"
#include "features/feature_store_folder.h"
#include "features/predicted_mel.h"

namespace qanat {

// The checkpoint of a speech model whose mel a vocoder learns from.
struct MelSource {
  std::filesystem::path folder;  // of the checkpoint itself
  std::int64_t step = 0;
  std::uint64_t identity = 0;  // of its weights, its settings and the rules of reading

  bool operator==(const MelSource&) const = default;
};

// `path` is a folder of checkpoints, of which the latest counts, or one of them. Reads no weights:
// to be called before anything that takes long. Throws Error, saying what to try, when there is no
// speech model that fits; `warn` is told of damaged checkpoints that were passed over.
MelSource find_mel_source(const std::filesystem::path& path,
                          const std::function<void(const Message&)>& warn);

struct MelPredictionRequest {
  MelSource source;
  std::filesystem::path folder;  // of the predictions
  const UtteranceSet& set;
  std::size_t count = 0;  // the first so many utterances are predicted; references are of all
  FrameCount max_frames;  // of an utterance that the model is given
  FolderShare share{};    // of processes that predict together; then others' may be missing
  std::function<void(const Message&)> warn{};
  ProgressFn progress{};  // of `count`; not called when nothing has to be predicted
  std::stop_token stop{};
};

struct MelPrediction {
  std::shared_ptr<const PredictedMel> mel;  // shared by those who read it
  std::vector<std::string> own{};  // ids of utterances that keep the mel of their recordings
};

// The reference of an utterance is the one it has at a validation: the next of its speaker, in the
// order of the set; the first half of its own, where there is no other. Nothing when stopped: what
// was predicted by then is kept. Throws Error when the checkpoint cannot be used, the disk refuses
// or another process is at it. One process at a time, or one of each share.
std::optional<MelPrediction> predict_mel(const MelPredictionRequest& request);

}  // namespace qanat
