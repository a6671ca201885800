#include "evaluate/mel_cepstrum.h"

#include <array>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace qanat {
namespace {

constexpr double kWarp = 0.65;   // close to the mel scale at 22.05 kHz
constexpr double kFloor = 1e-8;  // added below the logarithm

// What each coefficient of a cepstrum adds to the warped ones: the powers of an all-pass
// (Oppenheim and Johnson 1972). Row n holds the warped sequence of an impulse at n.
std::vector<std::array<double, kMelCepstrumSize>> warped_impulses(std::size_t count) {
  std::vector<std::array<double, kMelCepstrumSize>> rows(count);
  for (std::size_t n = 0; n < count; ++n) {
    if (n == 0) {
      rows[0].fill(0.0);
      rows[0][0] = 1;
      continue;
    }
    const std::array<double, kMelCepstrumSize>& last = rows[n - 1];
    std::array<double, kMelCepstrumSize>& row = rows[n];
    row[0] = kWarp * last[0];
    row[1] = (1 - kWarp * kWarp) * last[0] + kWarp * last[1];
    for (std::size_t k = 2; k < kMelCepstrumSize; ++k) {
      row[k] = last[k - 1] + kWarp * (last[k] - row[k - 1]);
    }
  }
  return rows;
}

}  // namespace

// Cosine transform and warping are both linear: one matrix does both.
MelCepstrum::MelCepstrum(std::size_t num_bins)
    : num_bins_(num_bins), weights_(kMelCepstrumSize * num_bins) {
  const std::size_t last = num_bins - 1;
  const auto size = static_cast<double>(2 * last);
  const auto impulses = warped_impulses(num_bins);
  for (std::size_t bin = 0; bin < num_bins; ++bin) {
    const double mirrored = bin == 0 || bin == last ? 1 : 2;
    for (std::size_t n = 0; n < num_bins; ++n) {
      const double ends = n == 0 || n == last ? 0.5 : 1;
      const auto turn = static_cast<double>((n * bin) % (2 * last));
      const double cosine = std::cos(2 * std::numbers::pi * turn / size);
      for (std::size_t k = 0; k < kMelCepstrumSize; ++k) {
        weights_[k * num_bins + bin] += ends * mirrored * cosine / size * impulses[n].at(k);
      }
    }
  }
}

void MelCepstrum::of(std::span<const double> power, std::span<double> out) const {
  QANAT_CHECK(power.size() == num_bins_ && out.size() == kMelCepstrumSize)
      << power.size() << " bins, " << out.size() << " coefficients";
  std::vector<double> logs(num_bins_);
  for (std::size_t bin = 0; bin < num_bins_; ++bin) {
    logs[bin] = std::log(power[bin] * power[bin] + kFloor);
  }
  for (std::size_t k = 0; k < kMelCepstrumSize; ++k) {
    double sum = 0;
    for (std::size_t bin = 0; bin < num_bins_; ++bin) {
      sum += weights_[k * num_bins_ + bin] * logs[bin];
    }
    out[k] = sum;
  }
}

}  // namespace qanat
