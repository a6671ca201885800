// Where the parts of a batch lie inside its one block of memory.
#pragma once

#include <cmath>
#include <cstddef>

#include "base/quantity.h"
#include "batch/bucket_edges.h"

namespace qanat {

// Every part of a batch starts at a multiple of it (a cache line; enough for AVX-512 loads).
inline constexpr std::size_t kBlockAlignment = 64;

enum class PayloadKind {
  mel_f32,  // log-mel, [rows, frames, mel_bins] f32, frame-major
  pcm_s16,  // waveform, [rows, samples] s16: features are made on a device
};

struct PayloadFormat {
  PayloadKind kind = PayloadKind::mel_f32;
  int mel_bins = 80;
  int hop = 256;  // samples per frame
  // What mel frames behind the end of an utterance hold: the log of the mel floor, silence. PCM is
  // padded with 0, tokens with PAD = 0.
  float mel_padding = std::log(1e-5F);

  bool operator==(const PayloadFormat&) const = default;
};

// Samples a PCM row holds for `frames` frames: an utterance of n samples has floor(n / hop)
// frames, so up to hop - 1 samples more.
constexpr int row_samples(int frames, int hop) {
  return (frames + 1) * hop;
}

// Offsets in bytes from the start of the block.
struct BatchLayout {
  BatchShape shape{};
  PayloadFormat format{};
  std::size_t payload = 0;         // f32 [rows, frames, mel_bins] or s16 [rows, samples]
  std::size_t tokens = 0;          // i32 [rows, tokens]
  std::size_t frame_lengths = 0;   // i32 [rows]
  std::size_t sample_lengths = 0;  // i32 [rows]; 0 when the payload is mel
  std::size_t token_lengths = 0;   // i32 [rows]
  std::size_t speakers = 0;        // i32 [rows]
  std::size_t items = 0;           // u32 [rows]
  std::size_t bytes = 0;           // of the whole block

  std::size_t row_values() const;  // payload values of one row, padding included
  std::size_t row_bytes() const;
};

BatchLayout make_layout(const BatchShape& shape, const PayloadFormat& format);

}  // namespace qanat
