#include "train/train_step.h"

#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "base/error.h"
#include "metrics/journal_testing.h"
#include "train/train_step_testing.h"

namespace qanat {
namespace {

constexpr BatchShape kShape{.rows = 8, .frames = 60, .tokens = 16};

std::vector<std::uint32_t> items(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

BatchShape with_rows(int rows) {
  return {.rows = rows, .frames = kShape.frames, .tokens = kShape.tokens};
}

// The largest difference, relative to the largest value of `a`.
double relative_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>() / a.abs().max().item<double>();
}

TEST(TrainStepTest, FourSmallBatchesGiveTheGradientOfTheLargeOne) {
  StepBench large;
  StepBench small;
  const MadeUpBatch whole(items(0, 8), kShape);

  large.accumulate(whole);
  const torch::Tensor expected = large.gradient();
  std::vector<std::unique_ptr<MadeUpBatch>> parts;
  for (std::uint32_t first = 0; first < 8; first += 2) {
    parts.push_back(std::make_unique<MadeUpBatch>(items(first, 2), with_rows(2)));
    small.accumulate(*parts.back());
  }

  EXPECT_GT(expected.abs().max().item<double>(), 1e-3);
  EXPECT_LT(relative_difference(expected, small.gradient()), 1e-5);
}

TEST(TrainStepTest, OneUpdateOfFourBatchesReportsTheMeansOfTheLargeOne) {
  StepBench large;
  StepBench small;
  const MadeUpBatch whole(items(0, 8), kShape);
  const MadeUpBatch first(items(0, 4), with_rows(4));
  const MadeUpBatch second(items(4, 4), with_rows(4));

  large.accumulate(whole);
  large.step().update({.step = 0, .learning_rate = 1e-3});
  small.accumulate(first);
  small.accumulate(second);
  small.step().update({.step = 0, .learning_rate = 1e-3});
  const StepRecord a = large.step().wait_finished()->record;
  const StepRecord b = small.step().wait_finished()->record;

  EXPECT_EQ(a.frames, b.frames);
  EXPECT_EQ(b.batches, 2);
  EXPECT_NEAR(a.losses.total, b.losses.total, 1e-5 * a.losses.total);
  EXPECT_NEAR(a.gradient_norm, b.gradient_norm, 1e-5 * a.gradient_norm);
}

TEST(TrainStepTest, AnUpdateCountsTheShapeOfEachOfItsBatches) {
  StepBench bench;
  const MadeUpBatch first(items(0, 4), with_rows(4));
  const MadeUpBatch second(items(4, 2), with_rows(2));

  for (int step = 0; step < 2; ++step) {
    bench.accumulate(first);
    bench.accumulate(second);
    bench.step().update({.step = step, .learning_rate = 1e-3});
    const StepRecord record = bench.step().wait_finished()->record;

    EXPECT_EQ(record.rows, 2);
    EXPECT_EQ(record.all_padded(), 6 * kShape.frames);
    EXPECT_LE(record.frames, record.all_padded());
  }
}

class OutOfMemoryTest : public testing::Test {
 protected:
  OutOfMemoryTest() {
    StepBench unlimited;
    const Bytes idle = unlimited.device().memory().use().used;
    unlimited.accumulate(batch_);
    expected_ = unlimited.gradient();
    const Bytes peak = unlimited.device().memory().use().high_water;
    // Enough for half of the rows, not for all.
    limit_ = Bytes{idle.value + (peak.value - idle.value) * 7 / 10};
  }

  MadeUpBatch batch_{items(0, 8), kShape};
  torch::Tensor expected_;
  Bytes limit_;
  EventList journal_;
};

TEST_F(OutOfMemoryTest, ABatchThatDoesNotFitIsDoneInHalvesWithTheSameGradient) {
  StepBench tight({.journal = &journal_}, limit_);

  tight.accumulate(batch_);

  EXPECT_LT(relative_difference(expected_, tight.gradient()), 1e-5);
  EXPECT_FALSE(journal_.events<OutOfMemoryRetry>().empty());
  EXPECT_LE(tight.device().memory().use().high_water, limit_);
}

TEST_F(OutOfMemoryTest, TheShapeIsRememberedAndNotTriedAgain) {
  StepBench tight({.journal = &journal_}, limit_);
  tight.accumulate(batch_);
  tight.gradient();
  const std::int64_t refusals = tight.device().memory().use().refusals;

  tight.accumulate(batch_);

  EXPECT_LT(relative_difference(2 * expected_, tight.gradient()), 1e-5);
  EXPECT_EQ(tight.device().memory().use().refusals, refusals);
}

TEST_F(OutOfMemoryTest, TheLargestShapeIsTriedAndSaysIntoHowManyPiecesItGoes) {
  StepBench tight({}, limit_);
  StepBench unlimited;

  EXPECT_EQ(unlimited.step().try_shape(kShape), 1);
  EXPECT_GE(tight.step().try_shape(kShape), 2);
  EXPECT_EQ(tight.gradient().abs().max().item<float>(), 0.0F);
}

TEST_F(OutOfMemoryTest, OneUtteranceThatDoesNotFitNamesTheFlagAndAValue) {
  StepBench tight({}, limit_);
  const BatchShape endless{.rows = 2, .frames = 4000, .tokens = 64};

  try {
    tight.step().try_shape(endless);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--max-mel-frames 2000"));
    EXPECT_THAT(error.what(), testing::HasSubstr("4000 frames"));
  }
}

TEST(TrainStepTest, AGradientThatIsNotFiniteChangesNothingAndIsReported) {
  StepBench bench;
  MadeUpBatch batch(items(0, 8), kShape);
  batch.mel(3)[5] = std::numeric_limits<float>::quiet_NaN();
  const torch::Tensor before = bench.model().weights.clone();

  bench.accumulate(batch);
  bench.step().update({.step = 0, .learning_rate = 1e-3});
  const std::optional<FinishedStep> done = bench.step().wait_finished();

  EXPECT_TRUE(done->record.skipped);
  EXPECT_EQ(done->items, items(0, 8));
  EXPECT_TRUE(torch::equal(bench.model().weights, before));
}

TEST(TrainStepTest, EagerDebugNamesWhatHoldsTheNan) {
  StepBench bench({.check_every_operation = true});
  MadeUpBatch batch(items(0, 8), kShape);
  batch.mel(3)[5] = std::numeric_limits<float>::quiet_NaN();

  try {
    bench.accumulate(batch);  // fails already when the stream is quick
    bench.stream().synchronise();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the mel of the batch: holds NaN"));
  }
}

TEST(TrainStepTest, MixedPrecisionStaysCloseToSinglePrecision) {
  StepBench single;
  StepBench mixed({.precision = Precision::bf16});
  const MadeUpBatch batch(items(0, 8), kShape);

  for (StepBench* bench : {&single, &mixed}) {
    bench->accumulate(batch);
    bench->step().update({.step = 0, .learning_rate = 1e-3});
  }
  const StepLosses a = single.step().wait_finished()->record.losses;
  const StepLosses b = mixed.step().wait_finished()->record.losses;

  // Or bf16 was not used. The mel does not tell before an update: its last layer begins with zeros.
  EXPECT_NE(a.duration, b.duration);
  EXPECT_NEAR(a.duration, b.duration, 0.02 * a.duration);
  EXPECT_NEAR(a.mel, b.mel, 0.02 * a.mel);
  EXPECT_EQ(a.forward_sum, b.forward_sum);  // the aligner is always in single precision
}

TEST(TrainStepTest, TheBreakdownOfABusyDeviceAddsUpWithinTwoPercent) {
  StepBench bench;
  const MadeUpBatch batch(items(0, 8), kShape);
  const Clock::time_point begin = Clock::now();
  for (std::int64_t step = 0; step < 12; ++step) {
    bench.accumulate(batch);
    bench.update(step);
  }
  // Once: to be woken by every event would take the core from the device's thread.
  bench.stream().synchronise();
  const double wall = seconds_since(begin).count();
  StepPhases sum;
  Seconds first_residual{0};  // the stream's thread has to be woken for the first step
  while (const std::optional<FinishedStep> done = bench.step().finished()) {
    first_residual += done->record.step == 0 ? done->record.phases.residual : Seconds{0};
    visit_phases(sum, [&](std::string_view name, Seconds& total) {
      visit_phases(done->record.phases, [&](std::string_view other, Seconds value) {
        total += name == other ? value : Seconds{0};
      });
    });
  }

  EXPECT_NEAR(sum.total().count(), wall, 0.02 * wall);
  EXPECT_LT((sum.residual - first_residual).count(), 0.02 * wall);
  EXPECT_GT(sum.forward, Seconds{0});
  EXPECT_GT(sum.loss, Seconds{0});
  EXPECT_GT(sum.backward, Seconds{0});
  EXPECT_GT(sum.optimizer, Seconds{0});
}

TEST(TrainStepTest, WhatIsLeftOutIsPartOfNoStep) {
  StepBench bench;
  const MadeUpBatch batch(items(0, 8), kShape);
  bench.stream().submit([] {
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(300);
    while (Clock::now() < end) {
    }
  });
  bench.step().exclude_from_next_step();

  bench.accumulate(batch);
  bench.step().update({.step = 0, .learning_rate = 1e-3});

  EXPECT_LT(bench.step().wait_finished()->record.phases.residual, Seconds(0.1));
}

// What is asked for is no lack of memory: nobody has to be told.
TEST(TrainStepTest, AMicrobatchSizeTakesLessMemoryAndHasTheSameGradient) {
  const MadeUpBatch batch(items(0, 8), kShape);
  StepBench whole;
  StepBench parts({.microbatch_size = 2});

  whole.accumulate(batch);
  parts.accumulate(batch);

  EXPECT_LT(relative_difference(whole.gradient(), parts.gradient()), 1e-5);
  EXPECT_LT(parts.device().memory().use().peak, whole.device().memory().use().peak);
  EXPECT_EQ(StepBench({.microbatch_size = 2}).step().try_shape(kShape), 1);
}

TEST(FittingRowsTest, CutsAsAskedAndThenAsMemoryAllows) {
  FittingRows fitting(3);
  const BatchShape other{.rows = 7, .frames = 10, .tokens = 16};
  fitting.remember(kShape, 2);

  EXPECT_EQ(fitting.microbatches(other, 7), (std::vector<RowRange>{{0, 2}, {2, 2}, {4, 3}}));
  EXPECT_EQ(fitting.microbatches(with_rows(6), 6),
            (std::vector<RowRange>{{0, 2}, {2, 1}, {3, 2}, {5, 1}}));
}

// Two processes of 8 rows have 4 and 6 of a batch of 10, or 4 and 4 of one of 8.
TEST(FittingRowsTest, AShortBatchHasThePartsThatProcessesHaveOfIt) {
  const FittingRows fitting(8);

  EXPECT_EQ(fitting.microbatches(with_rows(16), 16), (std::vector<RowRange>{{0, 8}, {8, 8}}));
  EXPECT_EQ(fitting.microbatches(with_rows(10), 16), (std::vector<RowRange>{{0, 4}, {4, 6}}));
  EXPECT_EQ(fitting.microbatches(with_rows(8), 16), (std::vector<RowRange>{{0, 4}, {4, 4}}));
  EXPECT_EQ(fitting.microbatches(with_rows(1), 16), (std::vector<RowRange>{{0, 1}}));
}

TEST(FittingRowsTest, HalvesUntilEveryPieceIsKnownToFit) {
  FittingRows fitting;
  fitting.remember(kShape, 4);
  fitting.remember(kShape, 2);

  EXPECT_EQ(fitting.microbatches(with_rows(7), 8),
            (std::vector<RowRange>{{0, 2}, {2, 2}, {4, 2}, {6, 1}}));
  EXPECT_EQ(fitting.microbatches({.rows = 7, .frames = 10, .tokens = 16}, 8),
            (std::vector<RowRange>{{0, 7}}));
}

}  // namespace
}  // namespace qanat
