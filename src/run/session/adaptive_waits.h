// Chooses, while the program runs, how libtorch's threads wait for each other: spinning as long as
// the cores are theirs, asleep while other programs want them (torch_binding/passive_waits.h).
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/message.h"
#include "base/time.h"

namespace qanat {

struct AdaptiveWaitsOptions {
  Seconds every{0.25};
  // Cores that others took since the last call: see CoreLossWatch. Called by the thread.
  std::function<std::optional<double>()> lost;
  // Told once, by the thread, when no thread can be had for waits that sleep: from then on they
  // spin for good. May be absent.
  std::function<void(const Message& note)> say{};
  // Makes waits sleep while what it gives lives; may throw Error. Tests replace it.
  std::function<std::shared_ptr<void>()> sleep = {};
};

class AdaptiveWaits {
 public:
  explicit AdaptiveWaits(AdaptiveWaitsOptions options);
  AdaptiveWaits(const AdaptiveWaits&) = delete;
  AdaptiveWaits& operator=(const AdaptiveWaits&) = delete;
  // Waits for a reading in progress: a millisecond.
  ~AdaptiveWaits() = default;

 private:
  void adapt(const std::stop_token& stop);

  const AdaptiveWaitsOptions options_;
  std::mutex mutex_;  // guards nothing: the thread waits on it
  std::condition_variable_any woken_;
  std::jthread thread_;  // last: the others are there as long as it runs
};

// For the whole program, by what the kernel counts. Null when the user has decided how threads wait
// (GOMP_SPINCOUNT, OMP_WAIT_POLICY), and where there is one core.
std::unique_ptr<AdaptiveWaits> make_adaptive_waits(
    std::function<void(const Message& note)> say = {});

}  // namespace qanat
