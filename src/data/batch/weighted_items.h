// How often each utterance comes in an epoch whose utterances have weights. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace qanat {

struct WeightedItems {
  std::span<const double> weights;       // of every utterance; none below 0, some above
  std::span<const int> speakers{};       // of every utterance; none: all are of one speaker
  std::span<const std::uint8_t> usable;  // 0: no epoch has the utterance
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
};

// One number per utterance; their sum is the number of usable ones, so that all epochs are equally
// long. An utterance whose share of the epoch is c comes floor(c) or ceil(c) times, and so do all
// of a speaker taken together; over many epochs each comes as often as its weight says. Depends on
// nothing but the arguments. All 0 when no usable utterance has a weight.
std::vector<std::uint32_t> times_in_epoch(const WeightedItems& items);

}  // namespace qanat
