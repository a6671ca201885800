#include "vocoder/spectra.h"

#include <utility>

#include "torch_features/mel_bands.h"

namespace qanat {
namespace {

constexpr double kUnderRoot = 1e-9;  // keeps the gradient of silence finite; as the extractor's

torch::Tensor mirrored(const torch::Tensor& samples, std::int64_t before) {
  namespace F = torch::nn::functional;
  return F::pad(samples.unsqueeze(1), F::PadFuncOptions({before, before}).mode(torch::kReflect))
      .squeeze(1);
}

}  // namespace

torch::Tensor hann_window(std::int64_t size) {
  return torch::hann_window(size, torch::kFloat64).to(torch::kFloat32);
}

Stft::Stft(const StftOptions& options, torch::Device device)
    : Stft(options, hann_window(options.fft_size).to(device)) {}

Stft::Stft(const StftOptions& options, torch::Tensor window)
    : options_(options), window_(std::move(window)) {}

torch::Tensor Stft::spectrum(const torch::Tensor& samples) const {
  const torch::Tensor padded = mirrored(samples, (options_.fft_size - options_.hop) / 2);
  return torch::fft::rfft(padded.unfold(1, options_.fft_size, options_.hop) *
                          window_.to(samples.dtype()));
}

torch::Tensor Stft::magnitude(const torch::Tensor& samples) const {
  return (torch::view_as_real(spectrum(samples)).square().sum(-1) + kUnderRoot).sqrt();
}

// [rows, frames, fft_size] to [rows, (frames + overlaps - 1) * hop]
torch::Tensor Stft::overlap_add(const torch::Tensor& frames) const {
  const std::int64_t overlaps = options_.fft_size / options_.hop;
  torch::Tensor sum;
  for (std::int64_t part = 0; part < overlaps; ++part) {
    const torch::Tensor shifted = torch::constant_pad_nd(
        frames.narrow(2, part * options_.hop, options_.hop), {0, 0, part, overlaps - 1 - part});
    sum = sum.defined() ? sum + shifted : shifted;
  }
  return sum.flatten(1);
}

torch::Tensor Stft::inverse(const torch::Tensor& spectra) const {
  const std::int64_t frames = spectra.size(1);
  const torch::Tensor parts = torch::fft::irfft(spectra, options_.fft_size);
  const torch::Tensor window = window_.to(parts.dtype());
  const torch::Tensor weight = overlap_add(window.square().expand({1, frames, options_.fft_size}));
  const std::int64_t before = (options_.fft_size - options_.hop) / 2;
  const std::int64_t samples = frames * options_.hop;
  return overlap_add(parts * window).narrow(1, before, samples) / weight.narrow(1, before, samples);
}

LogMel::LogMel(const MelConfig& config, torch::Device device)
    : stft_({.fft_size = checked_default_mel(config).fft_size, .hop = config.hop}, device),
      bands_(mel_bands(config).to(device)),
      floor_(static_cast<double>(config.log_floor)) {}

torch::Tensor LogMel::of(const torch::Tensor& samples) const {
  return torch::matmul(stft_.magnitude(samples), bands_.to(samples.dtype()))
      .clamp_min(floor_)
      .log()
      .transpose(1, 2);
}

}  // namespace qanat
