#include "vocoder/generator.h"

#include <algorithm>

#include "torch_features/mel_bands.h"

namespace qanat {
namespace {

constexpr double kNormEpsilon = 1e-6;
constexpr double kMaxGain = 6;  // nats that a magnitude may be above the smooth spectrum

torch::nn::LayerNorm make_norm(std::int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(kNormEpsilon));
}

// Every bin is the mean of its bands, weighted as they weigh it; bins above the highest band are as
// loud as that one.
torch::Tensor smooth_matrix(const MelConfig& config) {
  const torch::Tensor bands = mel_bands(config);  // [bins, mel_bins]
  const torch::Tensor of_bin = bands.sum(1, /*keepdim=*/true);
  const torch::Tensor of_band = bands.sum(0, /*keepdim=*/true);
  torch::Tensor weights = bands / of_bin.clamp_min(1e-12) / of_band;
  const std::int64_t bins = bands.size(0);
  const auto highest = static_cast<std::int64_t>(config.fmax * static_cast<float>(config.fft_size) /
                                                 static_cast<float>(config.sample_rate.value));
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    if (of_bin[bin].item<float>() <= 0) {
      const std::int64_t band = bin < highest ? 0 : config.mel_bins - 1;
      weights[bin][band] = 1 / of_band[0][band];
    }
  }
  return weights.t().contiguous();
}

}  // namespace

ConvNextBlockImpl::ConvNextBlockImpl(const VocoderShape& shape) {
  depthwise_ = register_module(
      "depthwise",
      torch::nn::Conv1d(torch::nn::Conv1dOptions(shape.width, shape.width, shape.kernel)
                            .padding(shape.kernel / 2)
                            .groups(shape.width)));
  norm_ = register_module("norm", make_norm(shape.width));
  in_ = register_module("in", torch::nn::Linear(shape.width, shape.ffn));
  out_ = register_module("out", torch::nn::Linear(shape.ffn, shape.width));
  scale_ = register_parameter("scale",
                              torch::full({shape.width}, 1.0 / static_cast<double>(shape.blocks)));
}

torch::Tensor ConvNextBlockImpl::forward(const torch::Tensor& x) {
  const torch::Tensor near = depthwise_(x.transpose(1, 2)).transpose(1, 2);
  return x + scale_ * out_(torch::silu(in_(norm_(near))));
}

VocoderGeneratorImpl::VocoderGeneratorImpl(const VocoderShape& shape) : shape_(shape) {
  const std::int64_t bins = shape.mel.fft_size / 2 + 1;
  embed_ = register_module(
      "embed",
      torch::nn::Conv1d(torch::nn::Conv1dOptions(shape.mel.mel_bins, shape.width, shape.kernel)
                            .padding(shape.kernel / 2)));
  first_norm_ = register_module("first_norm", make_norm(shape.width));
  for (std::int64_t i = 0; i < shape.blocks; ++i) {
    blocks_->push_back(ConvNextBlock(shape));
  }
  register_module("blocks", blocks_);
  last_norm_ = register_module("last_norm", make_norm(shape.width));
  head_ = register_module("head", torch::nn::Linear(shape.width, 2 * bins));
  smooth_ = register_buffer("smooth", smooth_matrix(shape.mel));
  window_ = register_buffer("window", hann_window(shape.mel.fft_size));
}

VocoderGeneratorImpl::Prediction VocoderGeneratorImpl::predict(const torch::Tensor& mel) {
  const torch::Tensor normal = (mel - shape_.mel_mean) / shape_.mel_std;
  torch::Tensor x = first_norm_(embed_(normal).transpose(1, 2));
  for (const auto& block : *blocks_) {
    x = block->as<ConvNextBlock>()->forward(x);
  }
  const std::vector<torch::Tensor> halves = head_(last_norm_(x)).chunk(2, 2);
  const torch::Tensor smooth = torch::matmul(mel.transpose(1, 2).exp(), smooth_);
  const torch::Tensor magnitude = smooth * halves[0].clamp_max(kMaxGain).exp();
  return {.magnitude = magnitude,
          .spectra = torch::complex(magnitude * halves[1].cos(), magnitude * halves[1].sin())};
}

VocoderGeneratorImpl::Sound VocoderGeneratorImpl::generate(const torch::Tensor& mel) {
  const Stft stft({.fft_size = shape_.mel.fft_size, .hop = shape_.mel.hop}, window_);
  const Prediction prediction = predict(mel);
  return {.samples = stft.inverse(prediction.spectra), .magnitude = prediction.magnitude};
}

PhaseRefiner::PhaseRefiner(const VocoderShape& shape)
    : iterations_(static_cast<int>(shape.refinements)),
      search_(shape.mel, {.iterations = iterations_, .doubt = kDoubtOfPredictions}) {}

std::vector<float> PhaseRefiner::refine(const torch::Tensor& mel,
                                        const VocoderGeneratorImpl::Sound& sound) {
  const auto values = [](const torch::Tensor& tensor) {
    return std::span<const float>(tensor.data_ptr<float>(),
                                  static_cast<std::size_t>(tensor.numel()));
  };
  const torch::Tensor samples = sound.samples.detach().cpu().contiguous();
  if (iterations_ == 0) {
    return {values(samples).begin(), values(samples).end()};
  }
  const torch::Tensor magnitude = sound.magnitude.detach().cpu().contiguous();
  const torch::Tensor frame_major = mel.detach().cpu()[0].t().contiguous();
  return search_.refine(values(frame_major),
                        {.magnitudes = values(magnitude), .samples = values(samples)});
}

void generate_in_chunks(VocoderGenerator& generator,
                        const torch::Tensor& mel,
                        std::int64_t chunk,
                        const std::function<void(const torch::Tensor&)>& emit) {
  const torch::InferenceMode no_gradients;
  const std::int64_t frames = mel.size(1);
  const std::int64_t context = context_frames(generator->shape());
  const std::int64_t hop = generator->shape().mel.hop;
  for (std::int64_t begin = 0; begin < frames; begin += chunk) {
    const std::int64_t end = std::min(frames, begin + chunk);
    const std::int64_t from = std::max<std::int64_t>(0, begin - context);
    const std::int64_t to = std::min(frames, end + context);
    const torch::Tensor samples = generator->forward(mel.narrow(1, from, to - from).unsqueeze(0));
    emit(samples[0].narrow(0, (begin - from) * hop, (end - begin) * hop));
  }
}

}  // namespace qanat
