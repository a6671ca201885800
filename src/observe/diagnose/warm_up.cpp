#include "diagnose/warm_up.h"

#include <algorithm>
#include <vector>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr std::size_t kBatch = 5;
constexpr std::size_t kMinBatches = 4;  // below, there is nothing to compare
constexpr std::size_t kBeginning = 20;  // steps in which the prefill shows
constexpr double kMinPrefill = 3;       // steps' worth; less hides nothing
constexpr double kShrinking = 0.75;     // of it, halfway; a steady loss leaves half

std::vector<double> batch_means(std::span<const double> values) {
  std::vector<double> means;
  for (std::size_t at = 0; at + kBatch <= values.size(); at += kBatch) {
    means.push_back(mean(values.subspan(at, kBatch)));
  }
  return means;
}

// How uncertain the mean of `rest` is: the squared standard error, up to a constant.
double uncertainty(std::span<const double> rest) {
  const double centre = mean(rest);
  double squares = 0;
  for (const double value : rest) {
    squares += (value - centre) * (value - centre);
  }
  const double count = static_cast<double>(rest.size());
  return squares / (count * count);
}

}  // namespace

WarmUp find_warm_up(std::span<const double> step_seconds) {
  const std::vector<double> means = batch_means(step_seconds);
  if (means.size() < kMinBatches) {
    return {};
  }
  const std::size_t longest = means.size() / 2;
  std::size_t best = 0;
  double least = uncertainty(means);
  for (std::size_t cut = 1; cut <= longest; ++cut) {
    const double here = uncertainty(std::span(means).subspan(cut));
    if (here < least) {
      least = here;
      best = cut;
    }
  }
  return {.steps = best * kBatch, .settled = best < longest};
}

std::size_t steps_on_prefill(std::span<const double> ready_seconds, double step_seconds) {
  const auto beginning = ready_seconds.first(std::min(ready_seconds.size(), kBeginning));
  const auto largest = std::ranges::max_element(beginning);
  if (largest == beginning.end() || *largest < kMinPrefill * step_seconds) {
    return 0;
  }
  const auto full = static_cast<std::size_t>(largest - beginning.begin());
  const auto after = ready_seconds.subspan(full);
  const auto found =
      std::ranges::find_if(after, [step_seconds](double ready) { return ready < step_seconds; });
  const auto lasted = static_cast<std::size_t>(found - after.begin());
  if (found == after.end() || lasted < 2 ||
      std::ranges::max(after.subspan(lasted)) > *largest / 2) {
    return 0;
  }
  // It goes from the first step on; a run that becomes slow later has changed, not begun.
  const double meanwhile = mean(after.subspan(lasted / 4, lasted / 2));
  return meanwhile < kShrinking * *largest ? full + lasted : 0;
}

}  // namespace qanat
