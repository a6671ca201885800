#include "diagnose/replay.h"

#include <algorithm>

#include "base/check.h"

namespace qanat {
namespace {

// Mean over the items after the first `skip`, whose start-up would bias it.
double steady_pace(std::span<const double> done, std::size_t skip) {
  const std::size_t first = std::min(skip, done.size() / 2);
  if (done.size() < first + 2) {
    return done.empty() ? 0 : done.back() / static_cast<double>(done.size());
  }
  return (done.back() - done[first]) / static_cast<double>(done.size() - 1 - first);
}

}  // namespace

ReplayResult replay_queue(std::span<const double> produce,
                          std::span<const double> consume,
                          const ReplaySettings& settings) {
  const std::size_t count = std::min(produce.size(), consume.size());
  QANAT_CHECK(count > 0 && settings.workers > 0 && settings.depth > 0);
  std::vector<double> worker_free(settings.workers, 0.0);
  std::vector<double> ready(count);
  std::vector<double> taken(count);
  std::vector<double> done(count);
  std::vector<double> waits(count);
  for (std::size_t k = 0; k < count; ++k) {
    const auto worker =
        settings.in_turn ? worker_free.begin() + static_cast<std::ptrdiff_t>(k % settings.workers)
                         : std::ranges::min_element(worker_free);
    // A place in the window frees when an item is taken.
    const double place = k >= settings.depth ? taken[k - settings.depth] : 0.0;
    *worker = std::max(*worker, place) + settings.produce_scale * produce[k];
    ready[k] = std::max(*worker, k > 0 ? ready[k - 1] : 0.0);  // published in order
    const double idle_from = k > 0 ? done[k - 1] : 0.0;
    taken[k] = std::max(idle_from, ready[k]);
    waits[k] = taken[k] - idle_from;
    done[k] = taken[k] + consume[k];
  }
  const std::size_t skip = settings.depth + settings.workers;
  const std::size_t first = std::min(skip, count / 2);
  double waited = 0;
  for (std::size_t k = first; k < count; ++k) {
    waited += waits[k];
  }
  return {.seconds_per_item = steady_pace(done, skip),
          .wait_per_item = waited / static_cast<double>(count - first)};
}

double replay_ring(std::span<const std::vector<double>> stages, std::size_t slots) {
  QANAT_CHECK(!stages.empty() && slots > 0);
  const std::size_t count = stages.front().size();
  std::vector<double> server_free(stages.size(), 0.0);
  std::vector<double> left(count);
  for (std::size_t k = 0; k < count; ++k) {
    double at = k >= slots ? left[k - slots] : 0.0;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      at = std::max(at, server_free[stage]) + stages[stage][k];
      server_free[stage] = at;
    }
    left[k] = at;
  }
  return steady_pace(left, slots);
}

}  // namespace qanat
