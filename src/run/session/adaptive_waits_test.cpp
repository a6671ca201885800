#include "session/adaptive_waits.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/time.h"
#include "locale/messages/training.h"
#include "monitor/core_loss.h"
#include "monitor/host_counters.h"
#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

bool waits_are_passive() {
  const Reading<std::vector<ThreadClock>> threads = read_thread_clocks("/");
  return std::ranges::find(*threads, "passive-waits", &ThreadClock::name) != (*threads).end();
}

// What waits_are_passive() comes to be: threads that end are listed until the kernel has let them
// go, shortly after they were joined.
bool settles_at(bool expected) {
  const Clock::time_point begin = Clock::now();
  while (waits_are_passive() != expected && seconds_since(begin) < Seconds{10}) {
    std::this_thread::yield();
  }
  return waits_are_passive();
}

// What the thread finds, reading by reading, when these cores are lost: whether waits were passive
// when it took each.
std::vector<bool> passive_during(const std::vector<double>& lost,
                                 const std::vector<bool>& expected) {
  std::vector<bool> passive;
  std::promise<void> done;
  {
    const AdaptiveWaits waits({.every = Seconds{0}, .lost = [&]() -> std::optional<double> {
                                 if (passive.size() == lost.size()) {
                                   return std::nullopt;  // until it is stopped
                                 }
                                 passive.push_back(settles_at(expected[passive.size()]));
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
  const std::vector expected{false, false, false};

  EXPECT_EQ(passive_during({0, 0.1, 0}, expected), expected);
}

TEST(AdaptiveWaitsTest, ThreadsSleepFromTheFirstReadingThatIsContended) {
  const std::vector expected{false, false, true, true};

  EXPECT_EQ(passive_during({0, 1, 1, 0}, expected), expected);
}

TEST(AdaptiveWaitsTest, ThreadsSpinAgainWhenTheCoresHaveBeenFreeForAWhile) {
  std::vector<double> lost(ContentionLatch::kFreeReadings + 2, 0);
  lost.front() = 1;
  std::vector<bool> expected(lost.size(), true);
  expected.front() = expected.back() = false;

  EXPECT_EQ(passive_during(lost, expected), expected);
}

TEST(AdaptiveWaitsTest, NothingIsLeftWhenItEnds) {
  passive_during({1, 1, 1}, {false, true, true});

  EXPECT_FALSE(settles_at(false));
}

TEST(AdaptiveWaitsTest, ThreadsThatCannotBeHadAreSaidOnceAndNotAskedForAgain) {
  std::atomic<int> readings = 0;
  std::atomic<int> asked = 0;
  std::promise<Message> said;
  {
    const AdaptiveWaits waits({.every = Seconds{0},
                               .lost =
                                   [&] {
                                     ++readings;
                                     return std::optional(1.0);
                                   },
                               .say = [&](const Message& note) { said.set_value(note); },
                               .sleep = [&]() -> std::shared_ptr<void> {
                                 ++asked;
                                 throw Error("no thread can be started");
                               }});
    EXPECT_EQ(said.get_future().get(),
              Message(msg::waits_no_thread{.reason = "no thread can be started"}));
  }

  EXPECT_EQ(asked, 1);
  EXPECT_EQ(readings, 1);  // of a contended machine; it has not looked since
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
