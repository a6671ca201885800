#include "features/griffin_lim.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/ranges.h>

#include "base/check.h"
#include "base/error.h"

namespace qanat {
namespace {

constexpr float kLoudest = 12.0F;    // natural log; far above full scale, far from infinity
constexpr float kSmallest = 1e-12F;  // keeps quotients finite

// At the very ends few windows overlap; dividing by next to nothing would blow up rounding errors.
constexpr float kSmallestOverlap = 0.05F;

// Periodic Hann, centred in the transform.
std::vector<float> make_window(const MelConfig& config) {
  std::vector<float> window(static_cast<std::size_t>(config.fft_size), 0.0F);
  const auto offset = static_cast<std::size_t>(config.fft_size - config.window) / 2;
  for (int i = 0; i < config.window; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / config.window;
    window[offset + static_cast<std::size_t>(i)] = static_cast<float>(0.5 - 0.5 * std::cos(angle));
  }
  return window;
}

// The signal the search begins with: its phases are random, but fit together where frames overlap.
void fill_with_noise(std::span<float> signal) {
  std::uint32_t state = 1;
  for (float& sample : signal) {
    state = state * 1664525U + 1013904223U;
    sample = static_cast<float>(static_cast<std::int32_t>(state) >> 8) * 0x1p-23F;
  }
}

}  // namespace

MelInversion::MelInversion(const MelConfig& config, int iterations)
    : bank_(make_mel_filterbank(config)),
      num_bins_(config.fft_size / 2 + 1),
      iterations_(iterations),
      log_floor_(std::log(config.log_floor)),
      band_area_(static_cast<std::size_t>(config.mel_bins)),
      bin_weight_(bank_.weights.size()) {
  sum_bands(std::vector<float>(bank_.weights.size(), 1.0F), band_area_);
  for (std::size_t i = 0; i < bank_.weights.size(); ++i) {
    bin_weight_[i] = bank_.weights[i].rising + bank_.weights[i].falling;
  }
}

// Bins are those of the filterbank, from its first one on.
void MelInversion::sum_bands(std::span<const float> bins, std::span<float> bands) const {
  std::ranges::fill(bands, 0.0F);
  std::size_t bin = 0;
  for (std::size_t side = 0; side < bank_.side_ends.size(); ++side) {
    float rising = 0.0F;
    float falling = 0.0F;
    for (; bin < static_cast<std::size_t>(bank_.side_ends[side]); ++bin) {
      rising += bank_.weights[bin].rising * bins[bin];
      falling += bank_.weights[bin].falling * bins[bin];
    }
    if (side < bands.size()) {
      bands[side] += rising;
    }
    if (side > 0) {
      bands[side - 1] += falling;
    }
  }
}

// Every bin becomes the mean of its two bands, by its weights in them.
void MelInversion::spread(std::span<const float> bands, std::span<float> bins) const {
  std::size_t bin = 0;
  for (std::size_t side = 0; side < bank_.side_ends.size(); ++side) {
    const float above = side < bands.size() ? bands[side] : 0.0F;
    const float below = side > 0 ? bands[side - 1] : 0.0F;
    for (; bin < static_cast<std::size_t>(bank_.side_ends[side]); ++bin) {
      const BinWeights& weights = bank_.weights[bin];
      bins[bin] = (weights.rising * above + weights.falling * below) /
                  std::max(bin_weight_[bin], kSmallest);
    }
  }
}

std::vector<float> MelInversion::bands_of(std::span<const float> log_mel) const {
  QANAT_CHECK(log_mel.size() == band_area_.size()) << log_mel.size();
  std::vector<float> bands(log_mel.size());
  for (std::size_t b = 0; b < log_mel.size(); ++b) {
    const float value = std::isnan(log_mel[b]) ? log_floor_ : log_mel[b];
    bands[b] = std::exp(std::clamp(value, log_floor_, kLoudest));
  }
  return bands;
}

void MelInversion::sharpen(std::span<const float> wanted, std::span<float> bins) const {
  std::vector<float> ratio(wanted.size());
  std::vector<float> correction(bins.size());
  for (int i = 0; i < iterations_; ++i) {
    sum_bands(bins, ratio);
    for (std::size_t b = 0; b < ratio.size(); ++b) {
      ratio[b] = wanted[b] / std::max(ratio[b], kSmallest);
    }
    spread(ratio, correction);
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      bins[bin] *= bin_weight_[bin] > kSmallest ? correction[bin] : 1.0F;  // in no band: as it is
    }
  }
}

void MelInversion::magnitudes(std::span<const float> log_mel, std::span<float> out) const {
  QANAT_CHECK(out.size() == static_cast<std::size_t>(num_bins_)) << out.size();
  const std::vector<float> wanted = bands_of(log_mel);
  std::vector<float> ratio(wanted.size());
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    ratio[b] = wanted[b] / std::max(band_area_[b], kSmallest);
  }
  std::ranges::fill(out, 0.0F);
  const std::span<float> bins =
      out.subspan(static_cast<std::size_t>(bank_.first_bin), bank_.weights.size());
  spread(ratio, bins);
  sharpen(wanted, bins);
}

void MelInversion::fit(std::span<const float> log_mel, std::span<float> magnitudes) const {
  QANAT_CHECK(magnitudes.size() == static_cast<std::size_t>(num_bins_)) << magnitudes.size();
  sharpen(bands_of(log_mel),
          magnitudes.subspan(static_cast<std::size_t>(bank_.first_bin), bank_.weights.size()));
}

GriffinLim::GriffinLim(const MelConfig& mel, const GriffinLimConfig& config)
    : GriffinLim(mel, config, best_griffin_lim_kernels()) {}

GriffinLim::GriffinLim(const MelConfig& mel,
                       const GriffinLimConfig& config,
                       const GriffinLimKernels& kernels)
    : mel_(checked_default_mel(mel)),
      config_(config),
      kernels_(kernels),
      plan_(mel.fft_size),
      inversion_(mel),
      window_(make_window(mel)),
      synthesis_(window_) {
  QANAT_CHECK(kernels.lanes <= kMaxLanes) << kernels.lanes;
  for (float& factor : synthesis_) {
    factor /= static_cast<float>(mel.fft_size);
  }
  bins_.resize(static_cast<std::size_t>(inversion_.num_bins()));
  std::iota(bins_.begin(), bins_.end(), 0);
  std::ranges::sort(bins_, {}, [this](int bin) { return plan_.unpadded_place(bin).re; });
  for (const int bin : bins_) {
    places_.push_back(plan_.unpadded_place(bin));
  }
  const auto size = static_cast<std::size_t>(mel.fft_size);
  work_.resize((size + 1) * static_cast<std::size_t>(kernels.lanes));
  unused_.resize(size);
}

GriffinLimProgram GriffinLim::program() const {
  // What is driven on from a spectrum that stays is this share of it.
  const float momentum = config_.momentum / (1.0F + config_.momentum);
  const float staying = 1.0F - momentum;
  const float square = config_.doubt * config_.doubt;
  return {.fft_size = mel_.fft_size,
          .bins = places_.data(),
          .num_bins = static_cast<int>(places_.size()),
          .factors = plan_.factors(),
          .window = window_.data(),
          .synthesis = synthesis_.data(),
          .momentum = momentum,
          .doubt = square * staying * staying,
          .level = std::sqrt(1.0F + square)};
}

// Everything that depends on the number of frames; the signal is left as it was.
void GriffinLim::set_frames(std::size_t frames) {
  const auto size = static_cast<std::size_t>(mel_.fft_size);
  const auto hop = static_cast<std::size_t>(mel_.hop);
  const auto lanes = static_cast<std::size_t>(kernels_.lanes);
  frames_ = frames;
  const std::size_t groups = (frames_ + lanes - 1) / lanes;
  magnitudes_.assign(groups * bins_.size() * lanes, 0.0F);
  previous_.assign(groups * (size + 1) * lanes, 0.0F);
  const std::size_t length = frames_ == 0 ? 0 : (frames_ - 1) * hop + size;
  signal_.resize(length);
  gain_.assign(length, 0.0F);
  for (std::size_t f = 0; f < frames_; ++f) {
    for (std::size_t i = 0; i < size; ++i) {
      gain_[f * hop + i] += window_[i] * window_[i];
    }
  }
  for (float& gain : gain_) {
    gain = 1.0F / std::max(gain, kSmallestOverlap);
  }
}

void GriffinLim::set_magnitudes(std::size_t frame, std::span<const float> bins) {
  const auto lanes = static_cast<std::size_t>(kernels_.lanes);
  float* to = magnitudes_.data() + frame / lanes * bins_.size() * lanes + frame % lanes;
  for (const int bin : bins_) {
    *to = bins[static_cast<std::size_t>(bin)];
    to += lanes;
  }
}

void GriffinLim::prepare(std::span<const float> log_mel) {
  const auto bands = static_cast<std::size_t>(mel_.mel_bins);
  QANAT_CHECK(log_mel.size() % bands == 0) << log_mel.size() << " values in rows of " << bands;
  set_frames(log_mel.size() / bands);
  std::vector<float> bins(bins_.size());
  for (std::size_t f = 0; f < frames_; ++f) {
    inversion_.magnitudes(log_mel.subspan(f * bands, bands), bins);
    set_magnitudes(f, bins);
  }
  fill_with_noise(signal_);
}

void GriffinLim::iterate(std::size_t groups) {
  const auto hop = static_cast<std::size_t>(mel_.hop);
  const auto lanes = static_cast<std::size_t>(kernels_.lanes);
  const GriffinLimProgram program = this->program();
  sum_.assign(signal_.size(), 0.0F);
  for (std::size_t g = 0; g < groups; ++g) {
    const float* signal[kMaxLanes];
    float* sum[kMaxLanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t frame = g * lanes + lane;
      signal[lane] = frame < frames_ ? signal_.data() + frame * hop : unused_.data();
      sum[lane] = frame < frames_ ? sum_.data() + frame * hop : unused_.data();
    }
    kernels_.step(program,
                  {.signal = signal,
                   .sum = sum,
                   .work = work_.data(),
                   .previous = previous_.data() + g * work_.size(),
                   .magnitudes = magnitudes_.data() + g * bins_.size() * lanes});
  }
  for (std::size_t i = 0; i < signal_.size(); ++i) {
    signal_[i] = sum_[i] * gain_[i];
  }
}

std::vector<float> GriffinLim::search() {
  const auto lanes = static_cast<std::size_t>(kernels_.lanes);
  for (int i = 0; i < config_.iterations; ++i) {
    iterate((frames_ + lanes - 1) / lanes);
  }
  const auto begin = static_cast<std::size_t>((mel_.fft_size - mel_.hop) / 2);
  const std::size_t samples = frames_ * static_cast<std::size_t>(mel_.hop);
  const std::span<const float> inside =
      std::span<const float>(signal_).subspan(std::min(begin, signal_.size()), samples);
  return {inside.begin(), inside.end()};
}

std::vector<float> GriffinLim::synthesise(std::span<const float> log_mel) {
  prepare(log_mel);
  return search();
}

std::vector<float> GriffinLim::refine(std::span<const float> log_mel,
                                      const Prediction& prediction) {
  const auto bands = static_cast<std::size_t>(mel_.mel_bins);
  QANAT_CHECK(log_mel.size() % bands == 0) << log_mel.size();
  set_frames(log_mel.size() / bands);
  QANAT_CHECK(prediction.magnitudes.size() == frames_ * bins_.size())
      << prediction.magnitudes.size();
  QANAT_CHECK(prediction.samples.size() == frames_ * static_cast<std::size_t>(mel_.hop))
      << prediction.samples.size();
  std::vector<float> bins(bins_.size());
  for (std::size_t f = 0; f < frames_; ++f) {
    std::ranges::copy(prediction.magnitudes.subspan(f * bins.size(), bins.size()), bins.begin());
    inversion_.fit(log_mel.subspan(f * bands, bands), bins);
    set_magnitudes(f, bins);
  }
  std::ranges::fill(signal_, 0.0F);
  std::ranges::copy(prediction.samples, signal_.begin() + (mel_.fft_size - mel_.hop) / 2);
  return search();
}

}  // namespace qanat
