#include "batch/weighted_items.h"

#include <algorithm>
#include <cstddef>

#include "batch/random.h"

namespace qanat {
namespace {

// Tells this use of the seed from those of a plan.
constexpr std::uint64_t kPurpose = 0x77656967'68747321;
constexpr int kFraction = 32;  // bits behind the point of a place on the line

// Usable utterances, those of a speaker side by side, in an order of the epoch's own.
std::vector<std::uint32_t> in_line(const WeightedItems& items, Random& random) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t item = 0; item < items.weights.size(); ++item) {
    if (items.usable[item] != 0) {
      order.push_back(item);
    }
  }
  shuffle(std::span(order), random);
  if (!items.speakers.empty()) {
    std::ranges::stable_sort(order, {}, [&](std::uint32_t item) { return items.speakers[item]; });
  }
  return order;
}

}  // namespace

// Systematic sampling: the utterances lie in a line, each as long as its share, and every mark at a
// distance of 1 takes the one that it falls on. Where the first mark lies is random.
std::vector<std::uint32_t> times_in_epoch(const WeightedItems& items) {
  std::vector<std::uint32_t> times(items.weights.size());
  Random random{kPurpose, items.seed, static_cast<std::uint64_t>(items.epoch)};
  const std::vector<std::uint32_t> order = in_line(items, random);
  double all = 0;
  for (const std::uint32_t item : order) {
    all += items.weights[item];
  }
  if (!(all > 0)) {
    return times;
  }
  const std::uint64_t first = random.next() >> (64 - kFraction);
  const std::uint64_t length = static_cast<std::uint64_t>(order.size()) << kFraction;
  double sum = 0;
  std::uint64_t begin = first;
  for (const std::uint32_t item : order) {
    sum += items.weights[item];
    const auto place = static_cast<std::uint64_t>(sum / all * static_cast<double>(length));
    const std::uint64_t end = first + std::min(place, length);  // rounded like the sum itself
    times[item] = static_cast<std::uint32_t>((end >> kFraction) - (begin >> kFraction));
    begin = end;
  }
  return times;
}

}  // namespace qanat
