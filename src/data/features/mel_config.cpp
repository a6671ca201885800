#include "features/mel_config.h"

#include <bit>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "features/fft_plan.h"

namespace qanat {
namespace {

constexpr int kMinFft = 1 << kMinFftLog2;
constexpr int kMaxFft = 1 << kMaxFftLog2;
constexpr int kMaxBands = 4096;

bool is_transform_size(int size) {
  return size >= kMinFft && size <= kMaxFft && std::has_single_bit(static_cast<unsigned>(size));
}

}  // namespace

float silent_mel(const MelConfig& config) {
  return (std::log(config.log_floor) - config.mean) / config.deviation;
}

MelConfig sizes_of(const MelConfig& config) {
  return {.sample_rate = config.sample_rate,
          .fft_size = config.fft_size,
          .hop = config.hop,
          .window = config.window,
          .mel_bins = config.mel_bins,
          .fmin = config.fmin,
          .fmax = config.fmax,
          .log_floor = config.log_floor};
}

std::vector<std::string> problems(const MelConfig& config) {
  std::vector<std::string> found;
  const auto expect =
      [&](bool good, std::string_view key, auto value, const std::string& expected) {
        if (!good) {
          found.push_back(fmt::format("{}: {}; expected {}", key, value, expected));
        }
      };
  const SampleRate band_rate = config.band_rate.value_or(config.sample_rate);
  const auto nyquist = static_cast<float>(band_rate.value) / 2.0F;
  expect(config.sample_rate.value > 0, "sample_rate", config.sample_rate.value, "more than 0 Hz");
  expect(is_transform_size(config.fft_size),
         "fft_size",
         config.fft_size,
         fmt::format("a power of two from {} to {}", kMinFft, kMaxFft));
  expect(config.hop >= 1 && config.hop <= config.fft_size,
         "hop",
         config.hop,
         fmt::format("1 to fft_size ({}) samples", config.fft_size));
  expect(config.window >= 1 && config.window <= config.fft_size,
         "window",
         config.window,
         fmt::format("1 to fft_size ({}) samples", config.fft_size));
  expect(config.mel_bins >= 1 && config.mel_bins <= kMaxBands,
         "mel_bins",
         config.mel_bins,
         fmt::format("1 to {}", kMaxBands));
  expect(config.fmin >= 0 && config.fmin < config.fmax,
         "fmin",
         config.fmin,
         fmt::format("0 Hz to below fmax ({} Hz)", config.fmax));
  expect(config.fmax > 0 && config.fmax <= nyquist,
         "fmax",
         config.fmax,
         fmt::format("more than 0 Hz, at most half the sample rate ({} Hz)", nyquist));
  expect(config.log_floor >= 1e-30F && config.log_floor <= 1.0F,
         "log_floor",
         config.log_floor,
         "1e-30 to 1");
  expect(config.magnitude_floor >= 0 && config.magnitude_floor <= 1.0F,
         "magnitude_floor",
         config.magnitude_floor,
         "0 to 1");
  expect(std::isfinite(config.mean), "mean", config.mean, "a number");
  expect(config.deviation > 0 && std::isfinite(config.deviation),
         "deviation",
         config.deviation,
         "more than 0");
  return found;
}

const MelConfig& checked_mel(const MelConfig& config) {
  const std::vector<std::string> found = problems(config);
  if (!found.empty()) {
    throw Error("mel settings: {}", fmt::join(found, "; "));
  }
  return config;
}

const MelConfig& checked_default_mel(const MelConfig& config) {
  if (config != sizes_of(config)) {
    throw Error("mel settings: of another kind; expected those of HiFi-GAN in all but sizes");
  }
  return checked_mel(config);
}

}  // namespace qanat
