#include "diagnose/detrend.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "diagnose/work_model.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr double kWorthwhile = 0.97;      // of the spread that is left
constexpr std::size_t kShortestPart = 8;  // steps on either side of a shift
constexpr std::size_t kMaxCuts = 64;

Detrended without_line(std::span<const double> values) {
  std::vector<double> index(values.size());
  std::iota(index.begin(), index.end(), 0.0);
  // fit_work() knows no falling lines; a reversed series rises.
  const WorkModel rising = fit_work(values, index);
  std::vector<double> reversed(values.rbegin(), values.rend());
  const WorkModel falling = fit_work(reversed, index);
  const double slope = rising.per_frame > 0 ? rising.per_frame : -falling.per_frame;
  Detrended result{.trend = Trend::line, .change = slope * static_cast<double>(values.size() - 1)};
  const double middle = static_cast<double>(values.size() - 1) / 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.values.push_back(values[i] - slope * (index[i] - middle));
  }
  return result;
}

Detrended without_shift_at(std::span<const double> values, std::size_t cut) {
  const double before = median(values.first(cut));
  const double after = median(values.subspan(cut));
  Detrended result{.trend = Trend::shift, .change = after - before, .shift_at = cut};
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.values.push_back(i < cut ? values[i] : values[i] - result.change);
  }
  return result;
}

Detrended without_shift(std::span<const double> values) {
  const std::size_t stride =
      std::max<std::size_t>(1, (values.size() - 2 * kShortestPart) / kMaxCuts);
  Detrended best{.values = {values.begin(), values.end()}};
  double least = scaled_mad(values);
  for (std::size_t cut = kShortestPart; cut + kShortestPart <= values.size(); cut += stride) {
    Detrended here = without_shift_at(values, cut);
    const double left = scaled_mad(here.values);
    if (left < least) {
      least = left;
      best = std::move(here);
    }
  }
  return best;
}

}  // namespace

Detrended remove_trend(std::span<const double> values) {
  Detrended best{.values = {values.begin(), values.end()}};
  if (values.size() < 2 * kShortestPart) {
    return best;
  }
  const double all = scaled_mad(values);
  for (Detrended& candidate : std::array{without_line(values), without_shift(values)}) {
    const double least = scaled_mad(best.values);
    const double left = scaled_mad(candidate.values);
    if (left < kWorthwhile * all && left < least) {
      best = std::move(candidate);
    }
  }
  return best;
}

}  // namespace qanat
