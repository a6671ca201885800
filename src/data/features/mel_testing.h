// What the mel tests share: signals, and the spectrogram in double precision, written down from its
// definition with a plain Fourier sum and a dense filterbank.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "features/mel_config.h"

namespace qanat {

struct MelDifference {
  double largest = 0.0;
  double mean = 0.0;
};

inline MelDifference difference(std::span<const float> got, std::span<const double> expected) {
  MelDifference result;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(got[i] - expected[i]);
    result.largest = std::max(result.largest, error);
    result.mean += error / static_cast<double>(got.size());
  }
  return result;
}

class MelReference {
 public:
  explicit MelReference(const MelConfig& config) : c_(config) {
    for (int i = 0; i < c_.mel_bins + 2; ++i) {
      const double low = to_mel(c_.fmin);
      const double high = to_mel(c_.fmax);
      edges_.push_back(to_hz(low + (high - low) * i / (c_.mel_bins + 1)));
    }
    for (int k = 0; k < c_.fft_size; ++k) {
      const double turn = 2 * std::numbers::pi * k / c_.fft_size;
      cos_.push_back(std::cos(turn));
      sin_.push_back(std::sin(turn));
    }
  }

  double weight(int band, int bin) const {
    const SampleRate rate = c_.band_rate.value_or(c_.sample_rate);
    const double hz = static_cast<double>(rate.value) * bin / static_cast<double>(c_.fft_size);
    const double* e = &edges_[static_cast<std::size_t>(band)];
    const double triangle = std::min((hz - e[0]) / (e[1] - e[0]), (e[2] - hz) / (e[2] - e[1]));
    return std::max(0.0, triangle) * (c_.norm == MelNorm::none ? 1.0 : 2.0 / (e[2] - e[0]));
  }

  // [frames, mel_bins]
  std::vector<double> log_mel(std::span<const float> samples) const {
    std::vector<double> result;
    const auto frames =
        static_cast<int>(samples.size()) / c_.hop + (c_.frames == MelFrames::points ? 1 : 0);
    for (int f = 0; f < frames; ++f) {
      const std::vector<double> levels = spectrum(samples, f);
      for (int band = 0; band < c_.mel_bins; ++band) {
        double sum = 0;
        for (int bin = 0; bin <= c_.fft_size / 2; ++bin) {
          sum += weight(band, bin) * levels[static_cast<std::size_t>(bin)];
        }
        const double floor = c_.log_floor;
        const double log = std::log(c_.floor == MelFloor::add ? sum + floor : std::max(sum, floor));
        result.push_back((log - c_.mean) / c_.deviation);
      }
    }
    return result;
  }

 private:
  double to_mel(double hz) const {
    if (c_.scale == MelScale::htk) {
      return 1127 * std::log1p(hz / 700);
    }
    return hz < 1000 ? hz * 3 / 200 : 15 + 27 * std::log(hz / 1000) / std::log(6.4);
  }
  double to_hz(double mel) const {
    if (c_.scale == MelScale::htk) {
      return 700 * std::expm1(mel / 1127);
    }
    return mel < 15 ? mel * 200 / 3 : 1000 * std::pow(6.4, (mel - 15) / 27);
  }

  // numpy.pad(..., mode="reflect"), or zeros.
  double padded(std::span<const float> samples, int index) const {
    const auto size = static_cast<int>(samples.size());
    if (c_.padding == MelPadding::zero && (index < 0 || index >= size)) {
      return 0;
    }
    const int period = std::max(1, 2 * (size - 1));
    const int folded = (index % period + period) % period;
    return samples[static_cast<std::size_t>(folded < size ? folded : period - folded)];
  }

  std::vector<double> spectrum(std::span<const float> samples, int frame) const {
    std::vector<double> x(static_cast<std::size_t>(c_.fft_size), 0.0);
    const int begin =
        frame * c_.hop -
        (c_.frames == MelFrames::points ? c_.fft_size / 2 : (c_.fft_size - c_.hop) / 2);
    const int period = c_.window_kind == MelWindow::symmetric ? c_.window - 1 : c_.window;
    const int offset = (c_.fft_size - c_.window) / 2;
    for (int i = 0; i < c_.window; ++i) {
      const double hann = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / period);
      const int at = offset + i;
      x[static_cast<std::size_t>(at)] = hann * padded(samples, begin + at);
    }
    std::vector<double> levels;
    for (int bin = 0; bin <= c_.fft_size / 2; ++bin) {
      double re = 0;
      double im = 0;
      for (int i = 0; i < c_.fft_size; ++i) {
        const auto turn = static_cast<std::size_t>(std::int64_t{i} * bin % c_.fft_size);
        re += x[static_cast<std::size_t>(i)] * cos_[turn];
        im += x[static_cast<std::size_t>(i)] * sin_[turn];
      }
      const double power = re * re + im * im;
      levels.push_back(c_.spectrum == MelSpectrum::power
                           ? power
                           : std::sqrt(power + double{c_.magnitude_floor}));
    }
    return levels;
  }

  MelConfig c_;
  std::vector<double> edges_;
  std::vector<double> cos_;
  std::vector<double> sin_;
};

// White noise, the same integers in any language.
class Noise {
 public:
  std::int32_t next() {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<std::int32_t>(state_ >> 16) - 32768;
  }

 private:
  std::uint32_t state_ = 1;
};

// Noise whose level halves every 2048 samples, eight times over, and starts again.
inline std::vector<std::int16_t> stepped_noise(std::size_t samples) {
  std::vector<std::int16_t> result(samples);
  Noise noise;
  for (std::size_t i = 0; i < samples; ++i) {
    result[i] = static_cast<std::int16_t>(noise.next() >> (i / 2048 % 8));
  }
  return result;
}

inline std::vector<float> to_float(std::span<const std::int16_t> samples) {
  std::vector<float> result;
  for (const std::int16_t sample : samples) {
    result.push_back(static_cast<float>(sample) / 32768.0F);
  }
  return result;
}

// From 50 Hz to 8 kHz at the given level, over noise at -40 dB: without it, bands far from
// the tone would hold nothing but rounding errors.
inline std::vector<float> chirp(std::size_t samples, double level) {
  std::vector<float> wave(samples);
  Noise noise;
  double phase = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const double hz = 50 + 7950 * static_cast<double>(i) / static_cast<double>(samples);
    phase += 2 * std::numbers::pi * hz / 22050;
    wave[i] = static_cast<float>(level * std::sin(phase) + 1e-2 * noise.next() / 32768);
  }
  return wave;
}

}  // namespace qanat
