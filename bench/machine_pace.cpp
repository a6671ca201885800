#include "machine_pace.h"

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/thread.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr std::size_t kFloats = 1 << 15;  // of every thread: in its own cache
constexpr Seconds kPiece{0.007};
constexpr std::size_t kPiecesOfAStep = 28;  // a fifth of a second

void turn(std::vector<float>& values, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (float& value : values) {
      value = value * 0.999F + 0.001F;
    }
  }
}

// Threads that do the same number of rounds each time they are asked.
class Lockstep {
 public:
  explicit Lockstep(int threads) : begin_(threads), end_(threads) {
    for (int i = 1; i < threads; ++i) {
      others_.push_back(start_thread("machine", [this](const std::stop_token& stop) {
        std::vector<float> values(kFloats, 1.0F);
        for (begin_.arrive_and_wait(); !stop.stop_requested(); begin_.arrive_and_wait()) {
          turn(values, rounds_);
          end_.arrive_and_wait();
        }
      }));
    }
  }
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;
  ~Lockstep() {
    for (std::jthread& other : others_) {
      other.request_stop();
    }
    begin_.arrive_and_wait();
  }

  Seconds run(int rounds) {
    const Clock::time_point begin = Clock::now();
    rounds_ = rounds;
    begin_.arrive_and_wait();
    turn(values_, rounds);
    end_.arrive_and_wait();
    return seconds_since(begin);
  }

 private:
  std::vector<float> values_ = std::vector<float>(kFloats, 1.0F);
  int rounds_ = 0;  // written before begin_, read after it
  std::barrier<> begin_;
  std::barrier<> end_;
  std::vector<std::jthread> others_;
};

std::vector<double> pieces(Lockstep& threads, int rounds, Seconds time) {
  std::vector<double> seconds;
  for (const Clock::time_point begin = Clock::now(); seconds_since(begin) < time;) {
    seconds.push_back(threads.run(rounds).count());
  }
  return seconds;
}

// A reserve of `slots` batches, full at first; production stops while it is full.
double replayed_readiness(std::span<const double> made, double step, int slots) {
  const double full = slots * step;
  double reserve = full;  // seconds of steps that are made ahead
  std::size_t late = 0;
  for (const double seconds : made) {
    reserve += step - seconds;
    late += reserve < 0 ? 1 : 0;
    reserve = std::clamp(reserve, 0.0, full);
  }
  return made.empty() ? 1 : 1 - static_cast<double>(late) / static_cast<double>(made.size());
}

double variation_of(std::span<const double> made) {
  std::vector<double> steps;
  for (std::size_t i = 0; i + kPiecesOfAStep <= made.size(); i += kPiecesOfAStep) {
    steps.push_back(mean(made.subspan(i, kPiecesOfAStep)));
  }
  return steps.empty() ? 0 : scaled_mad(steps) / median(steps);
}

}  // namespace

MachinePace measure_machine(int threads, int slots, Seconds time) {
  Lockstep lockstep(threads);
  constexpr int kTrial = 200;
  (void)lockstep.run(kTrial);
  const Seconds trial = lockstep.run(kTrial);
  const int rounds = std::max(1, static_cast<int>(kTrial * (kPiece / trial)));
  const double fastest = mean(pieces(lockstep, rounds, time / 2));
  const std::vector<double> made = pieces(lockstep, rounds, time);
  return {.variation = variation_of(made),
          .readiness = replayed_readiness(made, fastest / 0.9, slots)};
}

}  // namespace qanat
