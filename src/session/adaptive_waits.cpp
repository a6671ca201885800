#include "session/adaptive_waits.h"

#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "base/thread.h"
#include "monitor/core_loss.h"
#include "torch_binding/passive_waits.h"

namespace qanat {

AdaptiveWaits::AdaptiveWaits(AdaptiveWaitsOptions options)
    : options_(std::move(options)),
      thread_(
          start_thread("adaptive-waits", [this](const std::stop_token& stop) { adapt(stop); })) {}

void AdaptiveWaits::adapt(const std::stop_token& stop) {
  ContentionLatch contention;
  std::optional<PassiveWaits> passive;
  std::unique_lock lock(mutex_);
  try {
    while (true) {
      woken_.wait_for(lock, stop, options_.every, [] { return false; });
      if (stop.stop_requested()) {
        return;
      }
      const bool contended = contention.update(options_.lost());
      if (contended && !passive) {
        passive.emplace();
      } else if (!contended) {
        passive.reset();
      }
    }
  } catch (const Error&) {
    // A limit of threads is reached. They go on spinning, which is slower, and no more than that.
  }
}

std::unique_ptr<AdaptiveWaits> make_adaptive_waits() {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr ||
      std::thread::hardware_concurrency() < 2) {
    return nullptr;
  }
  return std::make_unique<AdaptiveWaits>(
      AdaptiveWaitsOptions{.lost = [watch = CoreLossWatch()]() mutable { return watch.next(); }});
}

}  // namespace qanat
