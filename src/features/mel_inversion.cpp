#include "features/mel_inversion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace qanat {
namespace {

constexpr float kLoudest = 12.0F;    // natural log; far above full scale, far from infinity
constexpr float kSmallest = 1e-12F;  // keeps quotients finite

}  // namespace

MelInversion::MelInversion(const MelConfig& config, int iterations)
    : bank_(make_mel_filterbank(config)),
      mel_bins_(config.mel_bins),
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

void MelInversion::magnitudes(std::span<const float> log_mel, std::span<float> out) const {
  QANAT_CHECK(log_mel.size() == band_area_.size()) << log_mel.size();
  QANAT_CHECK(out.size() == static_cast<std::size_t>(num_bins_)) << out.size();
  std::vector<float> wanted(log_mel.size());
  std::vector<float> ratio(log_mel.size());
  for (std::size_t b = 0; b < log_mel.size(); ++b) {
    const float value = std::isnan(log_mel[b]) ? log_floor_ : log_mel[b];
    wanted[b] = std::exp(std::clamp(value, log_floor_, kLoudest));
    ratio[b] = wanted[b] / std::max(band_area_[b], kSmallest);
  }
  const std::size_t used = bank_.weights.size();
  std::vector<float> bins(used);
  std::vector<float> correction(used);
  spread(ratio, bins);
  for (int i = 0; i < iterations_; ++i) {
    sum_bands(bins, ratio);
    for (std::size_t b = 0; b < ratio.size(); ++b) {
      ratio[b] = wanted[b] / std::max(ratio[b], kSmallest);
    }
    spread(ratio, correction);
    for (std::size_t bin = 0; bin < used; ++bin) {
      bins[bin] *= correction[bin];
    }
  }
  std::ranges::fill(out, 0.0F);
  std::ranges::copy(bins, out.begin() + bank_.first_bin);
}

}  // namespace qanat
