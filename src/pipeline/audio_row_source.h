// Rows made from audio files: read, decode, resample, mel (or PCM for a device that makes the mel),
// and tokens, which are made once and remembered.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "dataset/training_sets.h"
#include "features/mel_extractor.h"
#include "pipeline/item_arena.h"
#include "pipeline/row_source.h"
#include "text/text_front_end.h"

namespace qanat {

struct AudioRowInputs {
  std::shared_ptr<const UtteranceSet> set;   // shared by the sources of a loader and its owner
  std::shared_ptr<const TextFrontEnd> text;  // shared by the loaders of a run
  std::vector<int> speakers{};               // one per utterance; empty: all 0
  MelConfig mel{};
  PayloadKind payload = PayloadKind::mel_f32;
};

class AudioRowSource final : public RowSource {
 public:
  explicit AudioRowSource(AudioRowInputs inputs);

  std::unique_ptr<RowFiller> make_filler() const override;
  std::string describe(std::uint32_t item) const override;

 private:
  const AudioRowInputs inputs_;
  const MelExtractor extractor_;                   // copied by the fillers, which share its tables
  const std::unique_ptr<ItemArena> known_tokens_;  // fillers write to it through the const source
};

// The frames and tokens of every utterance of a set; those of an unusable one are 0.
std::vector<ItemLength> item_lengths(const DatasetIndex& index, const MelConfig& mel);

}  // namespace qanat
