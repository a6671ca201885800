// Small vocoders and sounds for tests.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "vocoder/vocoder_shape.h"

namespace qanat {

inline VocoderShape small_vocoder() {
  VocoderShape shape = vocoder_shape(VocoderPreset::nano);
  shape.width = 24;
  shape.ffn = 48;
  shape.blocks = 2;
  shape.refinements = 2;
  shape.discriminators = {.channels = 2, .periods = {2, 5}, .resolutions = {512}};
  return shape;
}

// f32 [rows, samples], the same for the same seed.
inline torch::Tensor noise(std::int64_t rows, std::int64_t samples, std::uint64_t seed = 3) {
  torch::manual_seed(seed);
  return 0.1 * torch::randn({rows, samples});
}

// f32 [rows, mel_bins, frames], as loud as speech.
inline torch::Tensor some_mel(std::int64_t rows, std::int64_t frames, std::uint64_t seed = 5) {
  torch::manual_seed(seed);
  return torch::randn({rows, 80, frames}) * 2 - 5.5;
}

}  // namespace qanat
