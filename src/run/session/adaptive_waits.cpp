#include "session/adaptive_waits.h"

#include <cstdlib>
#include <utility>

#include "base/thread.h"
#include "locale/message_error.h"
#include "locale/messages/training.h"
#include "monitor/core_loss.h"
#include "torch_binding/passive_waits.h"

namespace qanat {

namespace {

AdaptiveWaitsOptions completed(AdaptiveWaitsOptions options) {
  if (!options.sleep) {
    options.sleep = [] { return std::make_shared<PassiveWaits>(); };
  }
  return options;
}

}  // namespace

AdaptiveWaits::AdaptiveWaits(AdaptiveWaitsOptions options)
    : options_(completed(std::move(options))),
      thread_(
          start_thread("adaptive-waits", [this](const std::stop_token& stop) { adapt(stop); })) {}

void AdaptiveWaits::adapt(const std::stop_token& stop) {
  ContentionLatch contention;
  std::shared_ptr<void> passive;
  std::unique_lock lock(mutex_);
  try {
    while (true) {
      woken_.wait_for(lock, stop, options_.every, [] { return false; });
      if (stop.stop_requested()) {
        return;
      }
      const bool contended = contention.update(options_.lost());
      if (contended && !passive) {
        passive = options_.sleep();
      } else if (!contended) {
        passive.reset();
      }
    }
  } catch (const Error& refused) {
    // A limit of threads is reached. They go on spinning, which is slower, and no more than that.
    if (options_.say) {
      options_.say(msg::waits_no_thread{.reason = reason_of(refused)});
    }
  }
}

std::unique_ptr<AdaptiveWaits> make_adaptive_waits(std::function<void(const Message& note)> say) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr ||
      std::thread::hardware_concurrency() < 2) {
    return nullptr;
  }
  return std::make_unique<AdaptiveWaits>(AdaptiveWaitsOptions{
      .lost = [watch = CoreLossWatch()]() mutable { return watch.next(); }, .say = std::move(say)});
}

}  // namespace qanat
