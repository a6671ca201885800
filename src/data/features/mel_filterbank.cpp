#include "features/mel_filterbank.h"

#include <cmath>
#include <cstddef>

namespace qanat {
namespace {

// Slaney's scale: linear below 1 kHz (15 mel), logarithmic above, 27 mel for every factor of 6.4.
constexpr double kLinearHzPerMel = 200.0 / 3.0;
constexpr double kBreakHz = 1000.0;
constexpr double kBreakMel = kBreakHz / kLinearHzPerMel;
constexpr double kLogHzPerMel = 0.068751777420949123;  // ln(6.4) / 27

// HTK's: logarithmic throughout.
constexpr double kHtkMel = 2595.0;  // for every factor of 10
constexpr double kHtkHz = 700.0;

double to_mel(double hz, MelScale scale) {
  if (scale == MelScale::htk) {
    return kHtkMel * std::log10(1.0 + hz / kHtkHz);
  }
  return hz < kBreakHz ? hz / kLinearHzPerMel : kBreakMel + std::log(hz / kBreakHz) / kLogHzPerMel;
}

double to_hz(double mel, MelScale scale) {
  if (scale == MelScale::htk) {
    return kHtkHz * (std::pow(10.0, mel / kHtkMel) - 1.0);
  }
  return mel < kBreakMel ? mel * kLinearHzPerMel
                         : kBreakHz * std::exp((mel - kBreakMel) * kLogHzPerMel);
}

// Band b rises from edge b to edge b + 1 and falls to edge b + 2. Hz.
std::vector<double> band_edges(const MelConfig& config) {
  const double low = to_mel(config.fmin, config.scale);
  const double step = (to_mel(config.fmax, config.scale) - low) / (config.mel_bins + 1);
  std::vector<double> edges(static_cast<std::size_t>(config.mel_bins) + 2);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = to_hz(low + step * static_cast<double>(i), config.scale);
  }
  return edges;
}

// MelNorm::slaney: every band has the same area, 1 / Hz.
double height(const std::vector<double>& edges, int band, MelNorm norm) {
  const auto b = static_cast<std::size_t>(band);
  return norm == MelNorm::none ? 1.0 : 2.0 / (edges[b + 2] - edges[b]);
}

}  // namespace

MelFilterbank make_mel_filterbank(const MelConfig& config) {
  const std::vector<double> edges = band_edges(config);
  const SampleRate rate = config.band_rate.value_or(config.sample_rate);
  const double bin_width = static_cast<double>(rate.value) / config.fft_size;
  MelFilterbank bank;
  bank.first_bin = static_cast<int>(std::ceil(edges.front() / bin_width));
  int bin = bank.first_bin;
  for (int side = 0; side <= config.mel_bins; ++side) {
    const double low = edges[static_cast<std::size_t>(side)];
    const double high = edges[static_cast<std::size_t>(side) + 1];
    const double up = side < config.mel_bins ? height(edges, side, config.norm) : 0.0;
    const double down = side > 0 ? height(edges, side - 1, config.norm) : 0.0;
    for (; bin <= config.fft_size / 2 && bin * bin_width < high; ++bin) {
      const double share = (bin * bin_width - low) / (high - low);
      bank.weights.push_back({.rising = static_cast<float>(up * share),
                              .falling = static_cast<float>(down * (1.0 - share))});
    }
    bank.side_ends.push_back(static_cast<int>(bank.weights.size()));
  }
  return bank;
}

double mel_position(double hz, const MelConfig& config) {
  const double low = to_mel(config.fmin, config.scale);
  return (to_mel(hz, config.scale) - low) / (to_mel(config.fmax, config.scale) - low);
}

}  // namespace qanat
