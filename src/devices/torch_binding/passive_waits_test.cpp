// Runs with a GOMP_SPINCOUNT of minutes: a thread of libtorch that spins does so until the next
// operation, so whether threads spin can be told from the CPU time that nothing takes.
#include "torch_binding/passive_waits.h"

#include <algorithm>
#include <optional>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "base/time.h"

namespace qanat {
namespace {

double process_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Cores in use after an operation of two threads has ended.
double cores_in_use_after_an_operation() {
  at::ones({1 << 20}).add_(1);
  const double before = process_cpu_seconds();
  const Clock::time_point begin = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return (process_cpu_seconds() - before) / seconds_since(begin).count();
}

// The least of some tries counts: what a process does besides only adds, a neighbour only hides.
constexpr int kTries = 5;

double least_in_use() {
  double least = cores_in_use_after_an_operation();
  for (int i = 1; i < kTries; ++i) {
    least = std::min(least, cores_in_use_after_an_operation());
  }
  return least;
}

double most_in_use() {
  double most = cores_in_use_after_an_operation();
  for (int i = 1; i < kTries; ++i) {
    most = std::max(most, cores_in_use_after_an_operation());
  }
  return most;
}

class PassiveWaitsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2) {
      GTEST_SKIP() << "libgomp does not spin on one core";
    }
    at::set_num_threads(2);
    at::ones({1 << 20}).add_(1);  // libtorch has its team, as in a run
  }
};

TEST_F(PassiveWaitsTest, ThreadsOfLibtorchThatWaitSleepWhileItLives) {
  ASSERT_GT(most_in_use(), 0.2);  // it spins, and may have to share the core

  std::optional<PassiveWaits> passive(std::in_place);

  EXPECT_LT(least_in_use(), 0.05);
}

TEST_F(PassiveWaitsTest, ThreadsSpinAgainAfterwards) {
  std::optional<PassiveWaits> passive(std::in_place);
  EXPECT_LT(least_in_use(), 0.05);

  passive.reset();

  EXPECT_GT(most_in_use(), 0.2);
}

TEST_F(PassiveWaitsTest, TheNumberOfThreadsThatComputeStaysTheSame) {
  const PassiveWaits passive;

  EXPECT_EQ(at::get_num_threads(), 2);
  EXPECT_TRUE(at::ones({1 << 20}).add_(1).eq(2).all().item<bool>());
}

}  // namespace
}  // namespace qanat
