// How libtorch's OpenMP threads wait for each other: asleep, while an object of this lives.
//
// By default they spin for milliseconds, which is fastest as long as each has a core. Where another
// program has one of the cores, a thread that spins keeps the one it waits for from running, and a
// step takes five times as long. libgomp, which libtorch uses, spins for microseconds only while
// more threads are in its teams than there are cores. So this opens a team that does nothing.
#pragma once

#include <condition_variable>
#include <latch>
#include <mutex>
#include <stop_token>
#include <thread>

namespace qanat {

class PassiveWaits {
 public:
  // Returns when it is in force: for every wait that begins from now on. Without effect where
  // libtorch uses another OpenMP. Throws Error when no thread can be started.
  PassiveWaits();
  PassiveWaits(const PassiveWaits&) = delete;
  PassiveWaits& operator=(const PassiveWaits&) = delete;
  // Waits for the team to end: its threads sleep, so that takes less than a millisecond.
  ~PassiveWaits() = default;

 private:
  void hold_team(const std::stop_token& stop);

  std::latch opened_{1};
  std::mutex mutex_;  // guards nothing: the thread waits on it
  std::condition_variable_any woken_;
  std::jthread thread_;  // last: the others are there as long as it runs
};

}  // namespace qanat
