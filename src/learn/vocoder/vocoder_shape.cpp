#include "vocoder/vocoder_shape.h"

namespace qanat {

VocoderShape vocoder_shape(VocoderPreset preset, const MelConfig& mel) {
  VocoderShape shape{.mel = mel};
  shape.refinements = 16;
  const auto set = [&](std::int64_t width, std::int64_t blocks, std::int64_t channels) {
    shape.width = width;
    shape.ffn = 3 * width;
    shape.blocks = blocks;
    shape.discriminators.channels = channels;
  };
  switch (preset) {
    case VocoderPreset::nano:
      set(160, 6, 4);
      break;
    case VocoderPreset::tiny:
      set(256, 6, 8);
      break;
    case VocoderPreset::small:
      set(384, 8, 16);
      break;
    case VocoderPreset::normal:
      set(512, 8, 32);
      break;
  }
  return shape;
}

std::int64_t context_frames(const VocoderShape& shape) {
  const std::int64_t convolutions = shape.blocks + 1;
  const std::int64_t overlapping = (shape.mel.fft_size + shape.mel.hop - 1) / shape.mel.hop;
  return convolutions * (shape.kernel / 2) + overlapping + shape.refinements * (overlapping - 1);
}

}  // namespace qanat
