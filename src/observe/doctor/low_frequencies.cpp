#include "doctor/low_frequencies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr double kLowRate = 4000;
constexpr double kLowestPitch = 60;
constexpr double kHighestPitch = 450;

// Means of `factor` samples: what they let through above is no matter to pitch and hum.
void decimate(std::span<const float> samples, std::size_t factor, std::vector<float>& out) {
  out.clear();
  for (std::size_t at = 0; at + factor <= samples.size(); at += factor) {
    float sum = 0;
    for (const float sample : samples.subspan(at, factor)) {
      sum += sample;
    }
    out.push_back(sum / static_cast<float>(factor));
  }
}

float dot(const float* a, const float* b, std::size_t count) {
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// The pitch of a frame by its autocorrelation; nothing where it is not voiced.
std::optional<double> pitch_of_frame(std::span<const float> frame, double rate) {
  const auto shortest = static_cast<std::size_t>(rate / kHighestPitch);
  const auto longest = static_cast<std::size_t>(rate / kLowestPitch);
  const std::size_t width = frame.size() - longest;
  const float own = dot(frame.data(), frame.data(), width);
  if (own <= 0) {
    return std::nullopt;
  }
  std::vector<float> alike(longest + 1);
  for (std::size_t lag = shortest; lag <= longest; ++lag) {
    const float other = dot(frame.data() + lag, frame.data() + lag, width);
    alike[lag] =
        other > 0 ? dot(frame.data(), frame.data() + lag, width) / std::sqrt(own * other) : 0;
  }
  const auto best =
      std::max_element(alike.begin() + static_cast<std::ptrdiff_t>(shortest), alike.end());
  constexpr float kVoiced = 0.6F;
  if (*best < kVoiced) {
    return std::nullopt;
  }
  // The shortest period that is nearly as good: its multiples fit as well.
  for (std::size_t lag = shortest + 1; lag + 1 < alike.size(); ++lag) {
    if (alike[lag] > 0.88F * *best && alike[lag] >= alike[lag - 1] &&
        alike[lag] >= alike[lag + 1]) {
      return rate / static_cast<double>(lag);
    }
  }
  return rate / static_cast<double>(best - alike.begin());
}

std::optional<double> median_pitch(std::span<const float> low, double rate) {
  const auto size = static_cast<std::size_t>(rate * 0.05);
  const auto step = static_cast<std::size_t>(rate * 0.03);
  std::vector<float> energies;
  for (std::size_t at = 0; at + size <= low.size(); at += step) {
    energies.push_back(dot(low.data() + at, low.data() + at, size));
  }
  if (energies.empty()) {
    return std::nullopt;
  }
  const float loud = 0.05F * std::ranges::max(energies);
  std::vector<double> pitches;
  for (std::size_t i = 0; i < energies.size(); ++i) {
    if (energies[i] >= loud) {
      if (const std::optional<double> pitch = pitch_of_frame(low.subspan(i * step, size), rate)) {
        pitches.push_back(*pitch);
      }
    }
  }
  constexpr std::size_t kMinVoiced = 5;
  return pitches.size() < kMinVoiced ? std::nullopt : std::optional(median(pitches));
}

// Power at one frequency, in dB; the window keeps speech far from it out.
double power_at(std::span<const float> low, double rate, double hertz) {
  double re = 0;
  double im = 0;
  const double turn = 2 * std::numbers::pi * hertz / rate;
  const double fade = 2 * std::numbers::pi / static_cast<double>(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    const auto at = static_cast<double>(i);
    const double weighted = double{low[i]} * (0.5 - 0.5 * std::cos(fade * at));
    re += weighted * std::cos(turn * at);
    im += weighted * std::sin(turn * at);
  }
  return 10 * std::log10(std::max((re * re + im * im) / static_cast<double>(low.size()), 1e-12));
}

// Mains and its harmonics stand above what lies a little beside them, in every clip at the same
// place; a pitch moves.
double hum_above(std::span<const float> low, double rate, double mains) {
  double least = 0;
  bool is_first = true;
  for (const double harmonic : {1.0, 2.0, 3.0}) {
    const double hertz = mains * harmonic;
    const double there = power_at(low, rate, hertz);
    const double beside = std::max({power_at(low, rate, hertz - 6),
                                    power_at(low, rate, hertz + 6),
                                    power_at(low, rate, hertz - 10),
                                    power_at(low, rate, hertz + 10)});
    least = is_first ? there - beside : std::min(least, there - beside);
    is_first = false;
    if (harmonic == 2.0) {
      break;
    }
  }
  return least;
}

}  // namespace

LowFrequencies measure_low_frequencies(std::span<const float> samples,
                                       SampleRate rate,
                                       std::vector<float>& scratch) {
  const auto factor = static_cast<std::size_t>(
      std::max(1.0, std::floor(static_cast<double>(rate.value) / kLowRate)));
  decimate(samples, factor, scratch);
  const double low_rate = static_cast<double>(rate.value) / static_cast<double>(factor);
  LowFrequencies found{.pitch = median_pitch(scratch, low_rate)};
  // Seconds of sound between which hum and voice cannot be told apart.
  constexpr double kMinSeconds = 1.5;
  std::vector<float> lowest;
  decimate(scratch, static_cast<std::size_t>(std::max(1.0, low_rate / 500)), lowest);
  const double lowest_rate = low_rate / std::max(1.0, std::floor(low_rate / 500));
  if (static_cast<double>(lowest.size()) < kMinSeconds * lowest_rate) {
    return found;
  }
  for (const double mains : {50.0, 60.0}) {
    const double above = hum_above(lowest, lowest_rate, mains);
    if (above > found.hum_db) {
      found.hum_db = above;
      found.hum_hz = mains;
    }
  }
  return found;
}

}  // namespace qanat
