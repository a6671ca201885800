#include "metrics/sample_summary.h"

#include <vector>

#include "metrics/order_statistics.h"

namespace qanat {

SampleSummary summarise_sample(std::span<const double> values) {
  SampleSummary summary{.count = values.size()};
  if (values.empty()) {
    return summary;
  }
  const std::vector<double> ascending = sorted(values);
  summary.mean = mean(values);
  summary.std = standard_deviation(values);
  summary.min = ascending.front();
  summary.max = ascending.back();
  summary.p50 = quantile_of_sorted(ascending, 0.5);
  if (values.size() >= values_needed_for(0.95)) {
    summary.p95 = quantile_of_sorted(ascending, 0.95);
  }
  if (values.size() >= values_needed_for(0.99)) {
    summary.p99 = quantile_of_sorted(ascending, 0.99);
  }
  return summary;
}

}  // namespace qanat
