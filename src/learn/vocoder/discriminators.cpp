#include "vocoder/discriminators.h"

#include <algorithm>

#include <fmt/format.h>

namespace qanat {
namespace {

constexpr double kLeak = 0.1;
constexpr double kQuiet = 1e-2;  // magnitudes well below it look alike

using Convolution = torch::nn::Conv2dOptions;
using Padding = torch::ExpandingArray<2>;

// Along the columns of one phase of the period.
std::vector<Convolution> period_layers(std::int64_t channels) {
  std::vector<Convolution> layers;
  std::int64_t in = 1;
  for (const std::int64_t times : {1, 2, 4, 8}) {
    layers.push_back(
        Convolution(in, channels * times, {5, 1}).stride({3, 1}).padding(Padding({2, 0})));
    in = channels * times;
  }
  layers.push_back(Convolution(in, in, {5, 1}).padding(Padding({2, 0})));
  layers.push_back(Convolution(in, 1, {3, 1}).padding(Padding({1, 0})));
  return layers;
}

// Along time and bins.
std::vector<Convolution> resolution_layers(std::int64_t channels) {
  std::vector<Convolution> layers;
  std::int64_t in = 1;
  for (const std::int64_t times : {1, 2, 4}) {
    layers.push_back(
        Convolution(in, channels * times, {3, 9}).stride({1, 4}).padding(Padding({1, 4})));
    in = channels * times;
  }
  layers.push_back(Convolution(in, in, {3, 3}).padding(Padding({1, 1})));
  layers.push_back(Convolution(in, 1, {3, 3}).padding(Padding({1, 1})));
  return layers;
}

// [rows, samples] to [rows, 1, samples / period, period], the end mirrored.
torch::Tensor fold(const torch::Tensor& samples, std::int64_t period) {
  namespace F = torch::nn::functional;
  const std::int64_t missing = (period - samples.size(1) % period) % period;
  const torch::Tensor whole =
      F::pad(samples.unsqueeze(1), F::PadFuncOptions({0, missing}).mode(torch::kReflect));
  return whole.view({samples.size(0), 1, -1, period});
}

torch::Tensor mean_of(const std::vector<torch::Tensor>& losses) {
  return torch::stack(losses).mean(0);
}

}  // namespace

DiscriminatorStackImpl::DiscriminatorStackImpl(const std::vector<Convolution>& layers) {
  for (const Convolution& layer : layers) {
    layers_->push_back(torch::nn::Conv2d(layer));
  }
  register_module("layers", layers_);
}

Judgement DiscriminatorStackImpl::judge(torch::Tensor x) {
  Judgement judgement;
  for (std::size_t i = 0; i + 1 < layers_->size(); ++i) {
    x = torch::leaky_relu(layers_[i]->as<torch::nn::Conv2d>()->forward(x), kLeak);
    judgement.features.push_back(x);
  }
  judgement.score = layers_[layers_->size() - 1]->as<torch::nn::Conv2d>()->forward(x).flatten(1);
  return judgement;
}

VocoderDiscriminatorsImpl::VocoderDiscriminatorsImpl(const DiscriminatorShape& shape)
    : shape_(shape) {
  for (std::size_t i = 0; i < shape.periods.size(); ++i) {
    periods_->push_back(DiscriminatorStack(period_layers(shape.channels)));
  }
  for (std::size_t i = 0; i < shape.resolutions.size(); ++i) {
    resolutions_->push_back(DiscriminatorStack(resolution_layers(shape.channels)));
    windows_.push_back(
        register_buffer(fmt::format("window_{}", i), hann_window(shape.resolutions[i])));
  }
  register_module("periods", periods_);
  register_module("resolutions", resolutions_);
}

std::vector<Judgement> VocoderDiscriminatorsImpl::judge(const torch::Tensor& samples) {
  std::vector<Judgement> all;
  for (std::size_t i = 0; i < shape_.periods.size(); ++i) {
    all.push_back(periods_[i]->as<DiscriminatorStack>()->judge(fold(samples, shape_.periods[i])));
  }
  for (std::size_t i = 0; i < shape_.resolutions.size(); ++i) {
    const std::int64_t size = shape_.resolutions[i];
    const Stft stft({.fft_size = size, .hop = size / 4}, windows_[i]);
    const torch::Tensor logs = (stft.magnitude(samples) + kQuiet).log();
    all.push_back(resolutions_[i]->as<DiscriminatorStack>()->judge(logs.unsqueeze(1)));
  }
  return all;
}

torch::Tensor discriminator_loss(const std::vector<Judgement>& recorded,
                                 const std::vector<Judgement>& made) {
  std::vector<torch::Tensor> losses;
  for (std::size_t i = 0; i < made.size(); ++i) {
    losses.push_back(torch::relu(1 - recorded[i].score).mean(1) +
                     torch::relu(1 + made[i].score).mean(1));
  }
  return mean_of(losses);
}

torch::Tensor adversarial_loss(const std::vector<Judgement>& made) {
  std::vector<torch::Tensor> losses;
  for (const Judgement& judgement : made) {
    losses.push_back(torch::relu(1 - judgement.score).mean(1));
  }
  return mean_of(losses);
}

torch::Tensor feature_loss(const std::vector<Judgement>& recorded,
                           const std::vector<Judgement>& made) {
  std::vector<torch::Tensor> losses;
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (std::size_t layer = 0; layer < made[i].features.size(); ++layer) {
      losses.push_back((made[i].features[layer] - recorded[i].features[layer].detach())
                           .abs()
                           .flatten(1)
                           .mean(1));
    }
  }
  return mean_of(losses);
}

}  // namespace qanat
