#include <gtest/gtest.h>

#include "batch/batch_plan.h"
#include "batch/sample_lengths.h"

namespace qanat {
namespace {

SharedPlan plan_of(std::int64_t epoch) {
  static const std::vector<ItemLength> lengths = short_lengths(20);
  const BatchingConfig batching{.batch_size = 8};
  const BucketEdges edges = choose_edges(lengths, batching);
  return std::make_shared<const BatchPlan>(
      plan_epoch({.lengths = lengths, .edges = edges, .batching = batching, .epoch = epoch}));
}

TEST(PlanSequenceTest, TellsOneCallerToMakeTheNextPlan) {
  PlanSequence plans(plan_of(0), 0, std::nullopt);

  EXPECT_EQ(plans.wanted(), 1);
  EXPECT_EQ(plans.wanted(), std::nullopt);
  plans.provide(plan_of(1));
  EXPECT_EQ(plans.wanted(), std::nullopt);
}

TEST(PlanSequenceTest, GoesOnToTheNextEpochWhenItIsThere) {
  PlanSequence plans(plan_of(0), 2, std::nullopt);
  EXPECT_TRUE(plans.take().is_last_of_epoch());
  EXPECT_FALSE(plans.is_ready());
  EXPECT_FALSE(plans.at_end());

  ASSERT_EQ(plans.wanted(), 1);
  plans.provide(plan_of(1));

  ASSERT_TRUE(plans.is_ready());
  const PlannedBatch first = plans.take();
  EXPECT_EQ(first.plan->epoch(), 1);
  EXPECT_EQ(first.index, 0);
  EXPECT_EQ(plans.wanted(), 2);
}

TEST(PlanSequenceTest, EndsAfterTheLastEpochAndWantsNoPlanBeyond) {
  PlanSequence plans(plan_of(4), 0, 5);

  EXPECT_EQ(plans.wanted(), std::nullopt);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(plans.at_end());
    plans.take();
  }
  EXPECT_TRUE(plans.at_end());
}

}  // namespace
}  // namespace qanat
