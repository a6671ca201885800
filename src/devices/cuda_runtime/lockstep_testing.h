// Runs kernels without a GPU: each thread of a block is a coroutine that stops where it has to meet
// the others. Between two meetings the threads run one after the other in an order that changes, so
// a meeting that is missing shows as a wrong result, and threads that do not all come to one are an
// error.
//
// Include it before the kernels' source.
#pragma once

#include <algorithm>
#include <cmath>
#include <coroutine>
#include <exception>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace qanat::lockstep {

// One thread of a block.
class Lane {
 public:
  struct promise_type {
    Lane get_return_object() { return Lane(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }  // kernels throw nothing
  };
  using Handle = std::coroutine_handle<promise_type>;

  explicit Lane(Handle handle) : handle_(handle) {}
  Lane(Lane&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Lane& operator=(Lane&&) = delete;
  ~Lane() {
    if (handle_) {
      handle_.destroy();
    }
  }

  bool done() const { return handle_.done(); }
  void resume() { handle_.resume(); }

 private:
  Handle handle_;
};

// Which thread is running.
struct Place {
  int thread = 0;
  int threads = 0;
  long long row = 0;
};
inline thread_local Place place;

struct Launch {
  int rows = 1;
  int threads = 1;  // of a block
  unsigned seed = 0;
};

// `kernel` makes a lane: `[&] { return forward_sum(arguments); }`.
template <typename Kernel>
void run(const Launch& launch, const Kernel& kernel) {
  std::mt19937 random(launch.seed);
  for (int row = 0; row < launch.rows; ++row) {
    std::vector<Lane> lanes;
    std::vector<int> order;
    for (int thread = 0; thread < launch.threads; ++thread) {
      lanes.push_back(kernel());
      order.push_back(thread);
    }
    std::size_t num_done = 0;
    while (num_done == 0) {
      std::ranges::shuffle(order, random);
      for (const int thread : order) {
        place = {.thread = thread, .threads = launch.threads, .row = row};
        Lane& lane = lanes[static_cast<std::size_t>(thread)];
        lane.resume();
        num_done += lane.done() ? 1U : 0U;
      }
    }
    if (num_done != lanes.size()) {
      throw std::logic_error("some threads of a block ended where others wait for them");
    }
  }
}

}  // namespace qanat::lockstep

// NOLINTBEGIN(cppcoreguidelines-macro-usage): what a GPU's compiler knows by itself
#define QANAT_KERNEL inline qanat::lockstep::Lane
#define QANAT_DEVICE inline
#define QANAT_THREAD qanat::lockstep::place.thread
#define QANAT_THREADS qanat::lockstep::place.threads
#define QANAT_ROW qanat::lockstep::place.row
#define QANAT_INFINITY std::numeric_limits<float>::infinity()
#define QANAT_MEET co_await std::suspend_always()
// NOLINTEND(cppcoreguidelines-macro-usage)
