// The numbers that make a vocoder: a Vocos-type generator and the discriminators it is trained
// with. Values; no libtorch.
#pragma once

#include <cstdint>
#include <vector>

#include "features/mel_config.h"

namespace qanat {

enum class VocoderPreset { nano, tiny, small, normal };

struct DiscriminatorShape {
  std::int64_t channels = 8;  // of the first layer; later ones have up to eight times as many
  std::vector<std::int64_t> periods = {2, 3, 5, 7, 11};       // samples
  std::vector<std::int64_t> resolutions = {512, 1024, 2048};  // samples of a transform

  bool operator==(const DiscriminatorShape&) const = default;
};

struct VocoderShape {
  MelConfig mel{};          // of the input; its frames are those of the inverse STFT
  std::int64_t width = 0;   // channels between the blocks
  std::int64_t ffn = 0;     // channels inside of a block
  std::int64_t blocks = 0;  // ConvNeXt blocks
  std::int64_t kernel = 7;  // frames that a convolution sees; odd
  // How often the phases of what is heard are made consistent: see PhaseRefiner.
  std::int64_t refinements = 0;
  double mel_mean = -5.54;  // the network sees (mel - mean) / std
  double mel_std = 2.12;
  DiscriminatorShape discriminators{};

  bool operator==(const VocoderShape&) const = default;
};

VocoderShape vocoder_shape(VocoderPreset preset, const MelConfig& mel = {});

// How many frames on either side a sample of the generator depends on: what a chunk needs around it
// to come out as it does in the whole.
std::int64_t context_frames(const VocoderShape& shape);

}  // namespace qanat
