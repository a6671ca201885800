// Speech that is heard while it is made: sentence by sentence, and each sentence in chunks whose
// join is what the whole would be.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "speech/planned_text.h"
#include "speech/speech_model.h"
#include "speech/vocode_chunks.h"

namespace qanat {

// Where a text is at. One thread at a time, but not always the same one; model and vocoder may be
// other copies at every call. Owner.
class SpeechStream {
 public:
  // The reference of `options` outlives it.
  SpeechStream(PlannedText planned, const SpeechOptions& options, const ChunkLengths& chunks);

  // The next samples; nothing when all is said. Pieces that are nothing but marks are passed over;
  // between two others is a short pause.
  std::optional<std::vector<float>> next(SpeechModel& model, Vocoder& vocoder);

  // Sentences, or parts of long ones, that are said or passed over; and whether the next samples
  // begin another.
  std::size_t pieces_done() const { return done_; }
  bool is_between_pieces() const { return !vocoding_; }
  const PlannedText& planned() const { return planned_; }
  // Log-mel of the piece that was begun last, [frames, mel_bins].
  const std::vector<float>& mel() const { return mel_; }

 private:
  bool begin_piece(SpeechModel& model);

  PlannedText planned_;
  SpeechOptions options_;
  ChunkLengths chunks_;
  std::size_t next_piece_ = 0;
  std::size_t done_ = 0;
  bool has_spoken_ = false;
  std::vector<float> mel_;
  std::optional<ChunkedVocoding> vocoding_;
};

}  // namespace qanat
