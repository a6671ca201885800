// The generator of the vocoder, of the Vocos type: log-mel in, samples out. ConvNeXt blocks work at
// the rate of frames; the inverse STFT makes samples of what they predict, so there is nothing to
// upsample.
//
//   mel -> convolution -> blocks -> magnitudes and phases -> inverse STFT
//
// Overlapping frames may contradict each other in their phases; PhaseRefiner makes them agree.
//
// The magnitudes are predicted relative to the smooth spectrum that the bands of the mel themselves
// say, so that an untrained generator is as loud as its input.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <torch/torch.h>

#include "features/griffin_lim.h"
#include "vocoder/spectra.h"
#include "vocoder/vocoder_shape.h"

namespace qanat {

// x + scaled(depthwise convolution, normalisation, two layers with SiLU between). (Not GELU: see
// model/blocks.h.)
class ConvNextBlockImpl : public torch::nn::Module {
 public:
  explicit ConvNextBlockImpl(const VocoderShape& shape);
  torch::Tensor forward(const torch::Tensor& x);  // [B, T, width]

 private:
  torch::nn::Conv1d depthwise_{nullptr};
  torch::nn::LayerNorm norm_{nullptr};
  torch::nn::Linear in_{nullptr};
  torch::nn::Linear out_{nullptr};
  torch::Tensor scale_;  // [width]
};
TORCH_MODULE(ConvNextBlock);

class VocoderGeneratorImpl : public torch::nn::Module {
 public:
  explicit VocoderGeneratorImpl(const VocoderShape& shape);

  const VocoderShape& shape() const { return shape_; }
  // What it makes of f32 [B, mel_bins, frames] of natural logs.
  struct Sound {
    torch::Tensor samples;    // f32 [B, frames * hop], full scale 1
    torch::Tensor magnitude;  // f32 [B, frames, bins]: what the spectrum is meant to be
  };
  Sound generate(const torch::Tensor& mel);
  torch::Tensor forward(const torch::Tensor& mel) { return generate(mel).samples; }

 private:
  // What the network predicts, [B, frames, bins] each.
  struct Prediction {
    torch::Tensor magnitude;
    torch::Tensor spectra;  // complex
  };
  Prediction predict(const torch::Tensor& mel);

  const VocoderShape shape_;
  torch::nn::Conv1d embed_{nullptr};
  torch::nn::LayerNorm first_norm_{nullptr};
  torch::nn::ModuleList blocks_;
  torch::nn::LayerNorm last_norm_{nullptr};
  torch::nn::Linear head_{nullptr};
  torch::Tensor smooth_;  // buffer, [mel_bins, bins]: from bands to a smooth spectrum
  torch::Tensor window_;  // buffer, [fft_size]
};
TORCH_MODULE(VocoderGenerator);

// A few steps of Griffin-Lim that begin with the phases the generator has predicted, for its
// magnitudes, made to have the bands it was asked for. On the host, for one thread at a time; what
// is heard goes through it, training does not.
class PhaseRefiner {
 public:
  // As often as the shape says.
  explicit PhaseRefiner(const VocoderShape& shape);

  // Refines what was made of `mel`, f32 [1, mel_bins, frames], to frames * hop samples.
  std::vector<float> refine(const torch::Tensor& mel, const VocoderGeneratorImpl::Sound& sound);

 private:
  const int iterations_;
  GriffinLim search_;
};

// Calls `emit(samples)` with f32 [n] for consecutive parts of the sound of `mel`, f32 [mel_bins,
// frames]: `chunk` frames at a time, each with the context_frames() it depends on around it.
// Together they are what forward() makes of the whole, up to rounding. For streaming, and for clips
// whose whole would not fit into memory. Without gradients.
void generate_in_chunks(VocoderGenerator& generator,
                        const torch::Tensor& mel,
                        std::int64_t chunk,
                        const std::function<void(const torch::Tensor&)>& emit);

}  // namespace qanat
