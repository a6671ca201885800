#include "diagnose/run_comparison.h"

#include <cmath>

#include "diagnose/intervals.h"

namespace qanat {
namespace {

// Deviation of the logarithm of frames per second.
double uncertainty(const RunMeasures& measures) {
  std::vector<double> frames;
  frames.reserve(measures.steady.size());
  for (const StepRecord& step : measures.steady) {
    frames.push_back(static_cast<double>(step.frames));
  }
  const Range rate = ratio_interval(frames, measures.seconds);
  return (rate.high - rate.low) / (2 * 1.96) / measures.frames_per_second;
}

}  // namespace

RunComparison compare_runs(const RunMeasures& now, const RunMeasures& before) {
  RunComparison result{.ratio = now.frames_per_second / before.frames_per_second};
  const double deviation = std::hypot(uncertainty(now), uncertainty(before));
  result.ci95 = {.low = result.ratio * std::exp(-1.96 * deviation),
                 .high = result.ratio * std::exp(1.96 * deviation)};
  if (result.ci95.high < 1 - kTolerance) {
    result.change = Change::slower;
  } else if (result.ci95.low > 1 + kTolerance) {
    result.change = Change::faster;
  }
  result.spread = compare_spread(now.adjusted, before.adjusted);
  return result;
}

}  // namespace qanat
