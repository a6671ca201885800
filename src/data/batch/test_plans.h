// What the tests of plans share: a set with its edges, and what is in a plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "batch/batch_plan.h"

namespace qanat {

struct PlanSet {
  std::vector<ItemLength> lengths;
  BatchingConfig batching;
  BucketEdges edges;

  explicit PlanSet(std::vector<ItemLength> of, const BatchingConfig& config = {})
      : lengths(std::move(of)), batching(config), edges(choose_edges(lengths, config)) {}

  PlanRequest request(std::int64_t epoch = 0, int rank = 0, int world = 1) const {
    return {.lengths = lengths,
            .edges = edges,
            .batching = batching,
            .seed = 42,
            .epoch = epoch,
            .rank = rank,
            .world = world};
  }
};

inline std::vector<std::uint32_t> items_of(const BatchPlan& plan) {
  std::vector<std::uint32_t> items;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchSpec spec = plan.batch(k);
    items.insert(items.end(), spec.items.begin(), spec.items.end());
  }
  return items;
}

inline std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> items) {
  std::sort(items.begin(), items.end());
  return items;
}

inline std::vector<std::uint32_t> first_numbers(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

inline double padding_share(const BatchPlan& plan, const std::vector<ItemLength>& lengths) {
  double real = 0;
  double padded = 0;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchSpec spec = plan.batch(k);
    padded += spec.shape.rows * spec.shape.frames;
    for (const std::uint32_t item : spec.items) {
      real += lengths[item].frames;
    }
  }
  return 1 - real / padded;
}

}  // namespace qanat
