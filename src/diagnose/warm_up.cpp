#include "diagnose/warm_up.h"

#include <vector>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr std::size_t kBatch = 5;
constexpr std::size_t kFewestBatches = 4;  // below, there is nothing to compare

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
  if (means.size() < kFewestBatches) {
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

}  // namespace qanat
