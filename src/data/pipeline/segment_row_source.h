// Rows that hold a random part of an utterance: what a vocoder is trained on. Of a file no more is
// read and decoded than the part.
//
// Where the part begins depends on (seed, epoch, item) only: not on workers, ranks, batches or
// interruptions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "batch/batch.h"
#include "dataset/training_sets.h"
#include "features/mel_config.h"
#include "features/predicted_mel.h"
#include "pipeline/row_source.h"

namespace qanat {

// Frames around the part that is trained on: as much as the spectrogram of its first and last frame
// sees of what is outside of it.
inline constexpr int kSegmentContext = 2;

struct SegmentOptions {
  int frames = 0;  // of a row, whatever is around the part that is trained on included
  std::uint64_t seed = 0;
  int step = 1;  // samples: a part begins at a multiple of it
};

// The first sample of the part in an utterance of `samples`, of which `length` are wanted: at any
// multiple of the step as long as the part is inside; 0 in one that is not longer.
std::int64_t segment_start(const SegmentOptions& options,
                           std::int64_t epoch,
                           std::uint32_t item,
                           SampleCount samples,
                           SampleCount length);

struct SegmentRowInputs {
  std::shared_ptr<const UtteranceSet> set;  // shared by the source and its owner
  std::vector<int> speakers{};              // one per utterance; empty: all 0
  MelConfig mel{};
  SegmentOptions segment{};
  // What rows have beside their samples; then parts begin where frames do. Shared with whoever
  // validates; null: nothing.
  std::shared_ptr<const PredictedMel> predicted{};
};

// Rows of 16-bit samples, all of one length; behind a shorter utterance there is silence. Without
// text: every row has one token, which is padding.
class SegmentRowSource final : public RowSource {
 public:
  explicit SegmentRowSource(SegmentRowInputs inputs);

  std::unique_ptr<RowFiller> make_filler() const override;
  std::string describe(std::uint32_t item) const override;
  void expect(std::span<const std::uint32_t> items) override;

 private:
  const SegmentRowInputs inputs_;
  const std::unique_ptr<ReadAhead::List> ahead_;  // null: clips are not far away
};

// Has a length for every utterance of a set; 0 for one that cannot be used.
std::vector<ItemLength> segment_lengths(const DatasetIndex& index, const SegmentOptions& options);

}  // namespace qanat
