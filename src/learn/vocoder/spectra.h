// Spectra as differentiable tensors: short-time Fourier transforms, log-mel, and the way back from
// a spectrum to samples. Samples are f32 [rows, samples], full scale 1.
//
// Frames are those of MelFrames::hops: frame f is centred on the middle of hop f, and n samples
// have n / hop of them.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "features/mel_config.h"

namespace qanat {

struct StftOptions {
  std::int64_t fft_size = 1024;
  std::int64_t hop = 256;
};

torch::Tensor hann_window(std::int64_t size);  // periodic, f32 [size], on the host

// Tables on one device; a value. Throws nothing.
class Stft {
 public:
  Stft(const StftOptions& options, torch::Device device);
  // With hann_window() of that size, already where it is needed: making one on the host for a GPU
  // makes the host wait.
  Stft(const StftOptions& options, torch::Tensor window);

  // The ends are mirrored: at least fft_size / 2 samples.
  torch::Tensor spectrum(const torch::Tensor& samples) const;   // complex [rows, frames, bins]
  torch::Tensor magnitude(const torch::Tensor& samples) const;  // f32 [rows, frames, bins]

  // complex [rows, frames, bins] to f32 [rows, frames * hop]: the samples whose spectra are nearest
  // to the given ones. What spectrum() made comes back exactly. fft_size is a multiple of hop.
  torch::Tensor inverse(const torch::Tensor& spectra) const;

 private:
  torch::Tensor overlap_add(const torch::Tensor& frames) const;

  StftOptions options_;
  torch::Tensor window_;  // periodic Hann, [fft_size]
};

// The same log-mel as the native extractor's (features/mel_extractor.h) up to rounding, with a
// gradient. Tables on one device; a value.
class LogMel {
 public:
  // Throws Error when `config` is of another kind than the default.
  LogMel(const MelConfig& config, torch::Device device);

  torch::Tensor of(const torch::Tensor& samples) const;  // f32 [rows, mel_bins, frames]

 private:
  Stft stft_;
  torch::Tensor bands_;  // [bins, mel_bins]
  double floor_;
};

}  // namespace qanat
