#include "dataset/speaking_pace.h"

#include <algorithm>
#include <cmath>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr std::size_t kFewest = 20;
constexpr double kDeviations = 4.0;
constexpr double kLeastFactor = 1.5;

}  // namespace

std::vector<PaceOutlier> pace_outliers(std::span<const double> paces) {
  if (paces.size() < kFewest) {
    return {};
  }
  std::vector<double> logs(paces.size());
  std::ranges::transform(paces, logs.begin(), [](double pace) { return std::log(pace); });
  const double center = median(logs);
  const double limit = std::max(kDeviations * scaled_mad(logs), std::log(kLeastFactor));
  std::vector<PaceOutlier> outliers;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (std::abs(logs[i] - center) > limit) {
      outliers.push_back({.item = i, .pace = paces[i], .usual = std::exp(center)});
    }
  }
  return outliers;
}

}  // namespace qanat
