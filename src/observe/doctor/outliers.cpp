#include "doctor/outliers.h"

#include <algorithm>
#include <numeric>

#include "metrics/order_statistics.h"

namespace qanat {

Usual usual_of(std::span<const double> values, double least_spread) {
  return {.middle = median(values), .spread = std::max(scaled_mad(values), least_spread)};
}

std::vector<Usual> usual_by_place(std::span<const double> values,
                                  std::span<const double> places,
                                  std::size_t around,
                                  double least_spread) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return places[at]; });
  std::vector<double> sorted_values(values.size());
  std::ranges::transform(order, sorted_values.begin(), [&](std::size_t at) { return values[at]; });
  const std::size_t width = std::min(2 * around + 1, values.size());
  std::vector<Usual> usual(values.size());
  Usual last;
  std::size_t last_first = values.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Neighbors at the ends lie on one side.
    const std::size_t wanted = i > around ? i - around : 0;
    std::size_t first = std::min(wanted, values.size() - width);
    // In large sets what is usual is found again every few clips.
    first -= first % std::max<std::size_t>(1, values.size() / 2000);
    if (first != last_first) {
      last = usual_of(std::span(sorted_values).subspan(first, width), least_spread);
      last_first = first;
    }
    usual[order[i]] = last;
  }
  return usual;
}

}  // namespace qanat
