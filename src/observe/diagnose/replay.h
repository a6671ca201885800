// What a pipeline would have done with another depth, more workers or faster stages: the recorded
// service times, run again through the (max,+) recurrences of a bounded queue.
//
// Explains and predicts waiting; does not see that workers compete for cores, so predictions past
// the cores there are must not be asked for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace qanat {

struct ReplaySettings {
  std::size_t workers = 1;
  std::size_t depth = 1;     // batches that may be ready or in the making
  double produce_scale = 1;  // of the recorded times
  bool in_turn = false;      // items go to the workers in turn, as in a DataLoader of torch
};

struct ReplayResult {
  double seconds_per_item = 0;  // in the steady part
  double wait_per_item = 0;     // of the consumer
};

// `produce` and `consume` are the recorded service times of each item, in order.
ReplayResult replay_queue(std::span<const double> produce,
                          std::span<const double> consume,
                          const ReplaySettings& settings);

// A chain of stages, one server each, with `slots` items in the chain at once: an item enters when
// one has left. For the transfer ring. Returns seconds per item in the steady part.
double replay_ring(std::span<const std::vector<double>> stages, std::size_t slots);

}  // namespace qanat
