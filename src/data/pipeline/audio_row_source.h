// Rows made from audio, wherever it lies: read, decode, resample, mel (or PCM for a device that
// makes the mel), and tokens, which are made once and remembered.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "dataset/training_sets.h"
#include "features/mel_extractor.h"
#include "pipeline/clip_source.h"
#include "pipeline/item_arena.h"
#include "pipeline/row_source.h"
#include "text/text_front_end.h"

namespace qanat {

// Tokens of an utterance; called by several threads at once.
using ReadTokens = std::function<Result<TokenIds>(const Utterance&)>;

struct AudioRowInputs {
  std::shared_ptr<const UtteranceSet> set;    // shared by the sources of a loader and its owner
  std::shared_ptr<const TextFrontEnd> text;   // shared by the loaders of a run
  ReadTokens read_tokens{};                   // instead of those that `text` makes
  std::shared_ptr<const ClipSource> clips{};  // shared with the index; null: files of the set
  std::vector<int> speakers{};                // one per utterance; empty: all 0
  MelConfig mel{};
  PayloadKind payload = PayloadKind::mel_f32;
  bool mel_beside_pcm = false;  // with PCM: the log-mel of the same samples, too
};

class AudioRowSource final : public RowSource {
 public:
  explicit AudioRowSource(AudioRowInputs inputs);

  std::unique_ptr<RowFiller> make_filler() const override;
  std::string describe(std::uint32_t item) const override;
  void expect(std::span<const std::uint32_t> items) override;

 private:
  const AudioRowInputs inputs_;                    // complete: with tokens and clips
  const std::unique_ptr<ReadAhead::List> ahead_;   // null: clips are not far away
  const MelExtractor extractor_;                   // copied by the fillers, which share its tables
  const std::unique_ptr<ItemArena> known_tokens_;  // fillers write to it through the const source
};

// The frames and tokens of every utterance of a set; those of an unusable one are 0.
std::vector<ItemLength> item_lengths(const DatasetIndex& index, const MelConfig& mel);

}  // namespace qanat
