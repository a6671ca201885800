// Speech in chunks, as soon as each is made: for players that should not wait for the end.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "speech/vocoder.h"

namespace qanat {

using SamplesFn = std::function<void(std::span<const float> samples)>;

// Frames. Each chunk has twice as many as the one before, up to the most: the first is there soon,
// and what chunks compute twice (see Vocoder::context()) stays a small share. 0: all at once.
struct ChunkLengths {
  int first = 0;
  int most = 0;
};

// Hands a log-mel to the vocoder in chunks, with as many frames around each as its samples depend
// on. All together they are what the vocoder makes of the whole, up to rounding. A vocoder without
// a bounded context makes everything at once. Owner; each chunk may be made by another thread.
class ChunkedVocoding {
 public:
  // [frames, mel_bins]; at least one frame.
  ChunkedVocoding(std::vector<float> mel, const ChunkLengths& lengths);

  bool is_over() const { return begin_ >= mel_.size(); }
  std::vector<float> next(Vocoder& vocoder);

 private:
  std::vector<float> mel_;
  ChunkLengths lengths_;
  std::size_t begin_ = 0;  // value of the next frame
};

// The same in one call: samples go to `take`, in order.
void vocode_chunks(Vocoder& vocoder, std::span<const float> mel, int frames, const SamplesFn& take);

}  // namespace qanat
