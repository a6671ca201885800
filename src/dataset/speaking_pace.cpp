#include "dataset/speaking_pace.h"

#include <algorithm>
#include <cmath>

#include "dataset/clip_lengths.h"

namespace qanat {
namespace {

constexpr std::size_t kFewest = 20;
constexpr double kDeviations = 4.0;
constexpr double kLeastFactor = 1.5;
constexpr double kSigmaPerMad = 1.4826;  // of a normal distribution

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

}  // namespace

std::vector<PaceOutlier> pace_outliers(std::span<const double> paces) {
  if (paces.size() < kFewest) {
    return {};
  }
  std::vector<double> logs(paces.size());
  std::ranges::transform(paces, logs.begin(), [](double pace) { return std::log(pace); });
  const double center = median(logs);
  std::vector<double> deviations(logs.size());
  std::ranges::transform(
      logs, deviations.begin(), [&](double value) { return std::abs(value - center); });
  const double limit =
      std::max(kDeviations * kSigmaPerMad * median(deviations), std::log(kLeastFactor));
  std::vector<PaceOutlier> outliers;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    if (deviations[i] > limit) {
      outliers.push_back({.item = i, .pace = paces[i], .usual = std::exp(center)});
    }
  }
  return outliers;
}

}  // namespace qanat
