// The figures people know of a sample: mean, deviation, extremes, percentiles. A percentile that
// the sample is too small to bound is absent, not guessed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace qanat {

struct SampleSummary {
  std::size_t count = 0;
  double mean = 0;
  double std = 0;
  double min = 0;
  double max = 0;
  double p50 = 0;
  std::optional<double> p95{};  // from values_needed_for(0.95) values on
  std::optional<double> p99{};

  double variation() const { return mean > 0 ? std / mean : 0; }
  bool operator==(const SampleSummary&) const = default;
};

// All zero for an empty sample.
SampleSummary summarise_sample(std::span<const double> values);

}  // namespace qanat
