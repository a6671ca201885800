#include "telemetry/background_queue.h"

#include <latch>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

TEST(BackgroundQueueTest, WorksOffEverythingInOrderBeforeItEnds) {
  std::vector<int> taken;
  {
    BackgroundQueue<int> queue("test", 8, {.take = [&](int& item) { taken.push_back(item); }});
    for (int i = 0; i < 5; ++i) {
      queue.offer(i);
    }
  }

  EXPECT_EQ(taken, (std::vector{0, 1, 2, 3, 4}));
}

TEST(BackgroundQueueTest, DropsAndCountsWhatDoesNotFitAndNeverWaits) {
  std::latch first_is_taken(1);
  std::latch go_on(1);
  std::vector<int> taken;
  BackgroundQueue<int> queue("test", 2, {.take = [&](int& item) {
                               if (taken.empty()) {
                                 first_is_taken.count_down();
                                 go_on.wait();
                               }
                               taken.push_back(item);
                             }});
  queue.offer(0);
  first_is_taken.wait();

  for (int i = 1; i <= 5; ++i) {
    queue.offer(i);  // would hang here if it waited: nothing is taken before go_on
  }
  go_on.count_down();
  queue.finish();

  EXPECT_EQ(taken, (std::vector{0, 1, 2}));
  EXPECT_EQ(queue.dropped(), 3);
}

TEST(BackgroundQueueTest, WorkThatFailsEndsItselfAndSaysWhy) {
  BackgroundQueue<int> queue("test", 2, {.take = [](int&) { throw Error("disk full"); }});

  queue.offer(1);
  queue.finish();
  queue.offer(2);

  EXPECT_EQ(queue.failure(), MessageArg("disk full"));
  EXPECT_EQ(queue.dropped(), 1);
}

TEST(BackgroundQueueTest, IsToldWhenItHasCaughtUp) {
  std::vector<int> log;
  BackgroundQueue<int> queue(
      "test",
      4,
      {.take = [&](int& item) { log.push_back(item); }, .idle = [&] { log.push_back(-1); }});

  queue.offer(7);
  queue.finish();

  EXPECT_EQ(log, (std::vector{7, -1}));
}

}  // namespace
}  // namespace qanat
