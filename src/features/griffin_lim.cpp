#include "features/griffin_lim.h"

#include <algorithm>
#include <cmath>
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

// At the very ends few windows overlap; dividing by next to nothing would blow up rounding errors.
constexpr float kSmallestOverlap = 0.05F;

// Periodic Hann, centred in the transform.
std::vector<float> make_window(const MelConfig& config) {
  std::vector<float> window(static_cast<std::size_t>(config.fft_size), 0.0F);
  const int offset = (config.fft_size - config.window) / 2;
  for (int i = 0; i < config.window; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / config.window;
    window[static_cast<std::size_t>(offset + i)] = static_cast<float>(0.5 - 0.5 * std::cos(angle));
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

GriffinLim::GriffinLim(const MelConfig& mel, const GriffinLimConfig& config)
    : GriffinLim(mel, config, best_griffin_lim_kernels()) {}

GriffinLim::GriffinLim(const MelConfig& mel,
                       const GriffinLimConfig& config,
                       const GriffinLimKernels& kernels)
    : mel_(checked_mel(mel)),
      config_(config),
      kernels_(kernels),
      plan_(mel.fft_size),
      inversion_(mel),
      window_(make_window(mel)),
      synthesis_(window_) {
  QANAT_CHECK(kernels.lanes <= kMaxGriffinLimLanes) << kernels.lanes;
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
  return {.fft_size = mel_.fft_size,
          .bins = places_.data(),
          .num_bins = static_cast<int>(places_.size()),
          .factors = plan_.factors(),
          .window = window_.data(),
          .synthesis = synthesis_.data(),
          .momentum = config_.momentum / (1.0F + config_.momentum)};
}

// Everything that depends on the number of frames and on what they hold.
void GriffinLim::prepare(std::span<const float> log_mel) {
  const auto bands = static_cast<std::size_t>(mel_.mel_bins);
  const auto size = static_cast<std::size_t>(mel_.fft_size);
  const auto hop = static_cast<std::size_t>(mel_.hop);
  const auto lanes = static_cast<std::size_t>(kernels_.lanes);
  QANAT_CHECK(log_mel.size() % bands == 0) << log_mel.size() << " values in rows of " << bands;
  frames_ = log_mel.size() / bands;
  const std::size_t groups = (frames_ + lanes - 1) / lanes;
  magnitudes_.assign(groups * bins_.size() * lanes, 0.0F);
  std::vector<float> bins(bins_.size());
  for (std::size_t f = 0; f < frames_; ++f) {
    inversion_.magnitudes(log_mel.subspan(f * bands, bands), bins);
    float* to = magnitudes_.data() + f / lanes * bins_.size() * lanes + f % lanes;
    for (const int bin : bins_) {
      *to = bins[static_cast<std::size_t>(bin)];
      to += lanes;
    }
  }
  previous_.assign(groups * (size + 1) * lanes, 0.0F);
  const std::size_t length = frames_ == 0 ? 0 : (frames_ - 1) * hop + size;
  signal_.resize(length);
  fill_with_noise(signal_);
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

void GriffinLim::iterate(std::size_t groups) {
  const auto hop = static_cast<std::size_t>(mel_.hop);
  const auto lanes = static_cast<std::size_t>(kernels_.lanes);
  const GriffinLimProgram program = this->program();
  sum_.assign(signal_.size(), 0.0F);
  for (std::size_t g = 0; g < groups; ++g) {
    const float* signal[kMaxGriffinLimLanes];
    float* sum[kMaxGriffinLimLanes];
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

std::vector<float> GriffinLim::synthesise(std::span<const float> log_mel) {
  prepare(log_mel);
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

}  // namespace qanat
