#include <algorithm>

#include <gtest/gtest.h>

#include "pipeline/autotuner.h"

namespace qanat {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TuneLimits kLimits{.min_workers = 1, .max_workers = 4, .min_window = 3, .max_window = 50};
constexpr Watermarks kStarving{.low = 0, .high = 1};

TuneSample after(milliseconds time, std::int64_t batches, Seconds busy) {
  return {.time = Clock::time_point{} + time, .batches = batches, .busy = busy};
}

TEST(TuneLoopTest, WaitsForAPeriodAndForEnoughBatches) {
  TuneLoop loop(kLimits, {});
  loop.add_gap(Seconds{0.01});

  EXPECT_FALSE(loop.observe(after(milliseconds(10), 100, Seconds{1}), kStarving, 1, 8));
  EXPECT_FALSE(loop.observe(after(milliseconds(300), 2, Seconds{1}), kStarving, 1, 8));
  EXPECT_TRUE(loop.observe(after(milliseconds(300), 100, Seconds{1}), kStarving, 1, 8));
}

TEST(TuneLoopTest, DecidesNothingBeforeTheConsumerIsKnown) {
  TuneLoop loop(kLimits, {});

  EXPECT_FALSE(loop.observe(after(seconds(1), 100, Seconds{1}), kStarving, 1, 8));
}

TEST(TuneLoopTest, WorkIsWorkerTimePerBatchOfThePeriod) {
  TuneLoop loop(kLimits, {});
  loop.add_gap(Seconds{0.010});

  // 100 batches, 2.5 s of work: 25 ms each, so 3 workers for a step of 10 ms
  const auto decision = loop.observe(after(seconds(1), 100, Seconds{2.5}), kStarving, 1, 8);

  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->workers, 3);
}

// Stages of known times: a batch is 40 ms of work, a step 10 ms, so five workers keep up. What the
// loader would deliver is computed, not measured.
TEST(TuneLoopTest, FeedsTheConsumerLikeTheBestFixedSettingWithinFiftySteps) {
  const TuneLimits limits{.min_workers = 1, .max_workers = 8, .min_window = 3, .max_window = 50};
  const Seconds work{0.040};
  const Seconds step{0.010};
  TuneLoop loop(limits, {});
  TuneSample now{};
  int workers = 1;
  for (int batch = 0; batch < 50; ++batch) {
    const Seconds made = std::max(step, work / workers);
    loop.add_gap(step);
    now.time += std::chrono::duration_cast<Clock::duration>(made);
    now.batches += 1;
    now.busy += work;
    now.consumer_wait += made - step;
    const bool fed = made <= step;
    const Watermarks marks{.low = fed ? 2 : 0, .high = fed ? 8 : 1};
    if (const auto decision = loop.observe(now, marks, workers, 8)) {
      workers = decision->workers;
    }
  }

  const Seconds best = step;  // of every fixed number from 4 on
  EXPECT_LE(std::max(step, work / workers), best * 1.05);
  EXPECT_LE(workers, limits.max_workers);
}

TEST(TuneLoopTest, OneLongPauseOfTheConsumerChangesNothing) {
  TuneLoop loop(kLimits, {});
  for (int i = 0; i < 20; ++i) {
    loop.add_gap(Seconds{0.010});
  }
  loop.add_gap(Seconds{60});  // it validated

  const auto decision = loop.observe(after(seconds(61), 100, Seconds{2.5}), kStarving, 1, 8);

  EXPECT_EQ(decision->workers, 3);
}

TEST(TuneLoopTest, LooksLessOftenWhileNothingChanges) {
  TuneLoop loop(kLimits, {});
  loop.add_gap(Seconds{0.1});
  const Watermarks content{.low = 3, .high = 6};
  milliseconds time{0};
  std::int64_t batches = 0;
  const auto next_decision = [&] {
    const milliseconds begin = time;
    Seconds busy{0};
    do {
      time += milliseconds(10);
      batches += 10;
      busy += Seconds{0.1};
    } while (!loop.is_due(Clock::time_point{} + time));
    EXPECT_TRUE(loop.observe(after(time, batches, busy), content, 1, 8));
    return time - begin;
  };

  const milliseconds first = next_decision();
  const milliseconds second = next_decision();

  EXPECT_EQ(first, milliseconds(250));
  EXPECT_EQ(second, milliseconds(500));
}

}  // namespace
}  // namespace qanat
