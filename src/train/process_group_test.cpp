#include "train/process_group.h"

#include <barrier>
#include <mutex>

#include <gtest/gtest.h>

#include "train/train_step_testing.h"

namespace qanat {
namespace {

constexpr BatchShape kHalf{.rows = 2, .frames = 48, .tokens = 12};
constexpr BatchShape kWhole{.rows = 4, .frames = 48, .tokens = 12};

// What the members of a group of threads share.
struct Meeting {
  explicit Meeting(int world) : arrived(world) {}

  std::barrier<> arrived;
  std::mutex mutex;  // guards total
  torch::Tensor total;
};

// A group of threads of this process, each with a model of its own.
class ThreadGroup : public ProcessGroup {
 public:
  ThreadGroup(ProcessRank rank, Meeting& meeting) : rank_(rank), meeting_(meeting) {}

  ProcessRank rank() const override { return rank_; }
  void all_reduce(torch::Tensor& values) override {
    {
      const std::lock_guard lock(meeting_.mutex);
      meeting_.total = meeting_.total.defined() ? meeting_.total + values : values.clone();
    }
    barrier();
    values.copy_(meeting_.total);
    barrier();
    {
      const std::lock_guard lock(meeting_.mutex);
      meeting_.total.reset();
    }
    barrier();
  }
  void barrier() override { meeting_.arrived.arrive_and_wait(); }

 private:
  const ProcessRank rank_;
  Meeting& meeting_;
};

torch::Tensor weights_of(StepBench& bench) {
  bench.stream().synchronise();
  return bench.model().weights.clone();
}

// Two processes with half a batch each learn what one learns of the whole, though their halves do
// not have the same number of frames. Speakers are not divided: a row is shown another of its
// batch.
TEST(ProcessGroupTest, TwoProcessesTakeTheStepOfOne) {
  Meeting meeting(2);
  ThreadGroup first_group({.rank = 0, .world = 2}, meeting);
  ThreadGroup second_group({.rank = 1, .world = 2}, meeting);
  StepBench first({.group = &first_group});
  StepBench second({.group = &second_group});
  StepBench alone;
  const MadeUpBatch left({2, 3}, kHalf);
  const MadeUpBatch right({4, 5}, kHalf);
  const MadeUpBatch both({2, 3, 4, 5}, kWhole);

  first.accumulate(left);
  second.accumulate(right);
  alone.accumulate(both);
  first.update(0);  // on the threads of their streams: they wait for each other there
  second.update(0);
  alone.update(0);

  const torch::Tensor together = weights_of(first);
  EXPECT_TRUE(torch::equal(together, weights_of(second)));
  // The first update is the learning rate times the sign of a gradient, which rounding decides
  // where there is next to none.
  EXPECT_LT((together - weights_of(alone)).abs().mean().item<double>(), 1e-6);
  const std::optional<FinishedStep> shared = first.step().wait_finished();
  const std::optional<FinishedStep> single = alone.step().wait_finished();
  ASSERT_TRUE(shared && single);
  EXPECT_NEAR(shared->record.losses.total, single->record.losses.total, 1e-4);
  EXPECT_NEAR(shared->record.gradient_norm, single->record.gradient_norm, 1e-4);
}

TEST(ProcessGroupTest, OneProcessIsAGroupThatChangesNothing) {
  SingleProcess group;
  torch::Tensor values = torch::ones({3});

  group.all_reduce(values);
  group.barrier();

  EXPECT_TRUE(torch::equal(values, torch::ones({3})));
  EXPECT_EQ(group.rank(), ProcessRank{});
}

}  // namespace
}  // namespace qanat
