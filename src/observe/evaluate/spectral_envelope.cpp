#include "evaluate/spectral_envelope.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace qanat {
namespace {

constexpr double kUnvoicedPitch = 500.0;  // Hz: the window of frames that have none
constexpr double kRecovery = -0.15;       // how strongly peaks are restored; Morise's optimum
constexpr double kSmallestPower = 2.2e-16;

// Between bins, a line.
double level_at(std::span<const double> values, double place) {
  const auto below = static_cast<std::size_t>(place);
  const double above = below + 1 < values.size() ? values[below + 1] : values[below];
  return values[below] + (above - values[below]) * (place - static_cast<double>(below));
}

}  // namespace

SpectralEnvelope::SpectralEnvelope(SampleRate rate, std::size_t fft_size)
    : rate_(static_cast<double>(rate.value)),
      fft_(fft_size),
      waveform_(fft_size),
      spectrum_(fft_size / 2 + 1),
      power_(fft_size / 2 + 1) {}

double SpectralEnvelope::lowest_pitch() const {
  return 3.0 * rate_ / (static_cast<double>(fft_.size()) - 3.0);
}

std::span<const double> SpectralEnvelope::at(std::span<const double> samples,
                                             double seconds,
                                             double pitch) {
  const double used = pitch <= lowest_pitch() ? kUnvoicedPitch : pitch;
  window_part(samples, seconds, used);
  fft_.forward(waveform_, spectrum_);
  for (std::size_t k = 0; k < power_.size(); ++k) {
    power_[k] = std::norm(spectrum_[k]);
  }
  fill_below_pitch(used);
  smooth(used * 2 / 3);
  lifter(used);
  return power_;
}

// Three periods under a Hann window of unit energy, without their weighted mean.
void SpectralEnvelope::window_part(std::span<const double> samples, double seconds, double pitch) {
  const auto half = static_cast<std::int64_t>(std::lround(1.5 * rate_ / pitch));
  const auto centre = static_cast<std::int64_t>(std::lround(seconds * rate_ + 0.001));
  const auto last = static_cast<std::int64_t>(samples.size()) - 1;
  window_.resize(static_cast<std::size_t>(2 * half + 1));
  double energy = 0;
  for (std::size_t i = 0; i < window_.size(); ++i) {
    const double offset = static_cast<double>(static_cast<std::int64_t>(i) - half);
    window_[i] = 0.5 + 0.5 * std::cos(std::numbers::pi * offset / 1.5 / rate_ * pitch);
    energy += window_[i] * window_[i];
  }
  double sum = 0;
  double weight = 0;
  std::fill(waveform_.begin(), waveform_.end(), 0.0);
  for (std::size_t i = 0; i < window_.size(); ++i) {
    const std::int64_t at =
        std::clamp<std::int64_t>(centre + static_cast<std::int64_t>(i) - half, 0, last);
    window_[i] /= std::sqrt(energy);
    waveform_[i] = samples[static_cast<std::size_t>(at)] * window_[i];
    sum += waveform_[i];
    weight += window_[i];
  }
  for (std::size_t i = 0; i < window_.size(); ++i) {
    waveform_[i] -= window_[i] * sum / weight;
  }
}

// Below the pitch there is nothing but leakage: what lies above is mirrored into it.
void SpectralEnvelope::fill_below_pitch(double pitch) {
  const double place = pitch * static_cast<double>(fft_.size()) / rate_;
  const auto count = static_cast<std::size_t>(place) + 1;
  const std::vector<double> before(power_.begin(),
                                   power_.begin() + static_cast<std::ptrdiff_t>(count + 2));
  for (std::size_t k = 0; k < count; ++k) {
    power_[k] += level_at(before, place - static_cast<double>(k));
  }
}

// The mean over `width` Hz around every bin; the spectrum is mirrored at both ends.
void SpectralEnvelope::smooth(double width) {
  const std::size_t bins = power_.size();
  const double per_hertz = static_cast<double>(fft_.size()) / rate_;
  const double bins_wide = width * per_hertz;
  const auto margin = static_cast<std::size_t>(bins_wide) + 1;
  integral_.resize(bins + 2 * margin);
  double sum = 0;
  for (std::size_t i = 0; i < integral_.size(); ++i) {
    const std::size_t distance = i < margin ? margin - i : i - margin;
    sum += power_[distance < bins ? distance : 2 * (bins - 1) - distance];
    integral_[i] = sum;
  }
  // integral_[i] is the sum up to the upper edge of bin i - margin.
  for (std::size_t k = 0; k < bins; ++k) {
    const double low = static_cast<double>(k + margin) - 0.5 - bins_wide / 2;
    power_[k] = (level_at(integral_, low + bins_wide) - level_at(integral_, low)) / bins_wide +
                kSmallestPower;
  }
}

void SpectralEnvelope::lifter(double pitch) {
  const std::size_t size = fft_.size();
  for (std::size_t k = 0; k < power_.size(); ++k) {
    waveform_[k] = std::log(power_[k]);
  }
  for (std::size_t k = 1; k < size / 2; ++k) {
    waveform_[size - k] = waveform_[k];
  }
  fft_.forward(waveform_, spectrum_);
  for (std::size_t k = 0; k < spectrum_.size(); ++k) {
    const double turn = std::numbers::pi * pitch * static_cast<double>(k) / rate_;
    const double smoothing = k == 0 ? 1 : std::sin(turn) / turn;
    const double recovery = 1 - 2 * kRecovery + 2 * kRecovery * std::cos(2 * turn);
    spectrum_[k] = spectrum_[k].real() * smoothing * recovery;
  }
  fft_.inverse(spectrum_, waveform_);
  for (std::size_t k = 0; k < power_.size(); ++k) {
    power_[k] = std::exp(waveform_[k]);
  }
}

}  // namespace qanat
