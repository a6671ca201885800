#include "diagnose/core_use.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace qanat {
namespace {

// Threads that the device's work runs on or is launched from. Those that libtorch starts carry the
// name of the one that asked for them.
bool is_trainer(std::string_view name) {
  constexpr std::array kNames = {"train", "model", "paced", "durations", "qanat", "qanat-torch"};
  const std::string_view stem = name.substr(0, name.find('/'));
  return std::ranges::find(kNames, stem) != kNames.end() || name.starts_with("pt_autograd");
}

}  // namespace

Reading<CoreUse> core_use(const HostSummary& host) {
  const Reading<std::vector<ThreadClock>> threads = host.threads();
  if (!threads) {
    return Reading<CoreUse>::none(threads.why_not());
  }
  const double seconds = host.seconds();
  CoreUse use;
  for (const ThreadClock& clock : *threads) {
    use.wanted += (clock.running + clock.waiting) / seconds;
    if (clock.name == "load") {
      use.loaders += clock.threads;
      use.loader_ran += clock.running;
      use.loader_waited += clock.waiting;
      use.loader_queued += clock.waiting / seconds;
    }
    if (is_trainer(clock.name)) {
      const double each = clock.waiting / (seconds * std::max(1, clock.threads));
      use.trainer_free *= std::pow(1 - std::clamp(each, 0.0, 1.0), clock.threads);
      use.trainer_ran += clock.running;
      use.trainer_waited += clock.waiting;
    }
  }
  use.trainers = static_cast<int>(std::lround((use.trainer_ran + use.trainer_waited) / seconds));
  return use;
}

}  // namespace qanat
