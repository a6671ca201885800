#include "session/adaptive_waits.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "monitor/core_loss.h"
#include "monitor/host_counters.h"
#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

bool waits_are_passive() {
  const Reading<std::vector<ThreadClock>> threads = read_thread_clocks("/");
  return std::ranges::find(*threads, "passive-waits", &ThreadClock::name) != (*threads).end();
}

// What the thread finds, reading by reading, when these cores are lost: whether waits were passive
// when it took each.
std::vector<bool> passive_during(const std::vector<double>& lost) {
  std::vector<bool> passive;
  std::promise<void> done;
  {
    const AdaptiveWaits waits({.every = Seconds{0}, .lost = [&]() -> std::optional<double> {
                                 if (passive.size() == lost.size()) {
                                   return std::nullopt;  // until it is stopped
                                 }
                                 passive.push_back(waits_are_passive());
                                 if (passive.size() == lost.size()) {
                                   done.set_value();
                                   return std::nullopt;
                                 }
                                 return lost[passive.size() - 1];
                               }});
    done.get_future().wait();
  }
  return passive;
}

TEST(AdaptiveWaitsTest, ThreadsSpinAsLongAsTheCoresAreTheirs) {
  EXPECT_EQ(passive_during({0, 0.1, 0}), (std::vector{false, false, false}));
}

TEST(AdaptiveWaitsTest, ThreadsSleepFromTheFirstReadingThatIsContended) {
  EXPECT_EQ(passive_during({0, 1, 1, 0}), (std::vector{false, false, true, true}));
}

TEST(AdaptiveWaitsTest, ThreadsSpinAgainWhenTheCoresHaveBeenFreeForAWhile) {
  std::vector<double> lost(ContentionLatch::kFreeReadings + 2, 0);
  lost.front() = 1;
  std::vector<bool> expected(lost.size(), true);
  expected.front() = expected.back() = false;

  EXPECT_EQ(passive_during(lost), expected);
}

TEST(AdaptiveWaitsTest, NothingIsLeftWhenItEnds) {
  passive_during({1, 1, 1});

  EXPECT_FALSE(waits_are_passive());
}

class UsersChoiceTest : public testing::TestWithParam<const char*> {
 protected:
  UsersChoiceTest() {
    ::unsetenv("GOMP_SPINCOUNT");
    ::unsetenv("OMP_WAIT_POLICY");
  }
};

TEST_P(UsersChoiceTest, IsRespected) {
  if (std::thread::hardware_concurrency() < 2) {
    GTEST_SKIP() << "threads never spin on one core";
  }
  ASSERT_NE(make_adaptive_waits(), nullptr);

  const ScopedVariable chosen(GetParam(), "1000");

  EXPECT_EQ(make_adaptive_waits(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Names,
                         UsersChoiceTest,
                         testing::Values("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"));

}  // namespace
}  // namespace qanat
