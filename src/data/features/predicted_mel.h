// Log-mel that a speech model has predicted for the utterances of a set: what a vocoder can be
// trained on instead of that of the recordings. speech/mel_prediction.h makes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "features/feature_store.h"

namespace qanat {

// Fixture. All methods are const and thread-safe.
class PredictedMel {
 public:
  // The caller's, to be used again.
  struct Scratch {
    PageBuffer bytes;
    std::vector<float> mel;
    std::vector<std::int32_t> tokens;
  };

  // One entry per utterance; absent: nothing was predicted for it. `silence` is what lies behind
  // the end of an utterance.
  PredictedMel(FeatureStore store, std::vector<std::optional<FeatureEntry>> entries, float silence)
      : store_(std::move(store)), entries_(std::move(entries)), silence_(silence) {}
  PredictedMel(const PredictedMel&) = delete;
  PredictedMel& operator=(const PredictedMel&) = delete;
  ~PredictedMel() = default;

  // Fills `frames`, [frames, mel_bins], with those of the utterance from `first` on. A Failure is
  // about this utterance, whose bytes are checked whenever they are read.
  Result<Done> read(std::uint32_t item,
                    FrameCount first,
                    std::span<float> frames,
                    Scratch& scratch) const;

 private:
  const FeatureStore store_;
  const std::vector<std::optional<FeatureEntry>> entries_;
  const float silence_;
};

}  // namespace qanat
