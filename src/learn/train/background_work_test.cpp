#include "train/background_work.h"

#include <latch>

#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

TEST(BackgroundWorkTest, NeverDoesTwoThingsAtOnce) {
  BackgroundWork work("test");
  std::latch go(1);
  int running = 0;  // touched by the worker only, until wait() has returned
  int most = 0;
  const auto job = [&] {
    most = std::max(most, ++running);
    --running;
  };

  work.reserve();
  work.start([&] {
    go.wait();
    job();
  });
  EXPECT_FALSE(work.is_idle());
  go.count_down();
  work.reserve();
  work.start(job);
  work.wait();

  EXPECT_EQ(most, 1);
  EXPECT_TRUE(work.is_idle());
}

TEST(BackgroundWorkTest, TellsWhoeverWaitsNextWhyAJobFailedAndOnlyOnce) {
  BackgroundWork work("test");
  work.reserve();
  work.start([] { throw Error("disk full"); });

  EXPECT_THROW(work.wait(), Error);
  EXPECT_NO_THROW(work.wait());
}

TEST(BackgroundWorkTest, ACancelledReservationLetsOthersIn) {
  BackgroundWork work("test");
  work.reserve();
  work.cancel();

  work.reserve();
  bool done = false;
  work.start([&done] { done = true; });
  work.wait();

  EXPECT_TRUE(done);
}

TEST(BackgroundWorkTest, FinishesTheJobThatRunsBeforeItEnds) {
  bool done = false;
  {
    BackgroundWork work("test");
    work.reserve();
    work.start([&done] { done = true; });
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace qanat
