#include "train/gradient_exchange.h"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "replicas/thread_group.h"
#include "train/full_memory_testing.h"
#include "train/speech_task.h"
#include "train/train_step_testing.h"

namespace qanat {
namespace {

constexpr BatchShape kHalf{.rows = 2, .frames = 48, .tokens = 12};
constexpr BatchShape kWhole{.rows = 4, .frames = 48, .tokens = 12};
constexpr std::int64_t kSmallSlices = 256;  // values: the model of the tests is small

torch::Tensor weights_of(StepBench& bench) {
  bench.stream().synchronise();
  return bench.model().weights.clone();
}

TrainStepOptions with(ProcessGroup& group) {
  return {.group = &group, .exchange = {.min_slice = kSmallSlices}};
}

// Two processes and one that does the work of both, on the same rows.
class TwoProcesses {
 public:
  explicit TwoProcesses(const ThreadGroupOptions& options = {})
      : groups_(make_thread_groups(options)),
        first_(with(*groups_[0])),
        second_(with(*groups_[1])) {}

  // Rows of the made-up data set; a row is shown another one of its batch, so speakers stay
  // together.
  void step(std::int64_t number) {
    const auto item = static_cast<std::uint32_t>(4 * (number % 5));
    const MadeUpBatch left({item, item + 1}, kHalf);
    const MadeUpBatch right({item + 2, item + 3}, kHalf);
    const MadeUpBatch both({item, item + 1, item + 2, item + 3}, kWhole);
    first_.accumulate(left, BatchPlace::last);
    second_.accumulate(right, BatchPlace::last);
    first_.update(number, left.frames() + right.frames());
    second_.update(number, left.frames() + right.frames());
    alone_.accumulate(both);
    alone_.update(number);
    first_.stream().synchronise();
    second_.stream().synchronise();
    alone_.stream().synchronise();  // it reads `both`, too
  }

  StepBench& first() { return first_; }
  StepBench& second() { return second_; }
  StepBench& alone() { return alone_; }

 private:
  const std::vector<std::unique_ptr<ProcessGroup>> groups_;
  StepBench first_;
  StepBench second_;
  StepBench alone_;
};

// Their halves do not have the same number of frames, which the sum takes into account.
TEST(GradientExchangeTest, TwoProcessesTakeTheStepsOfOne) {
  TwoProcesses run;

  for (int step = 0; step < 20; ++step) {
    run.step(step);
    const std::optional<FinishedStep> shared = run.first().step().wait_finished();
    const std::optional<FinishedStep> single = run.alone().step().wait_finished();
    ASSERT_TRUE(shared && single);
    const double loss = single->record.losses.total;
    EXPECT_NEAR(shared->record.losses.total, loss, 1e-4 * loss) << "step " << step;
    EXPECT_TRUE(shared->record.exchange);
  }

  EXPECT_TRUE(torch::equal(weights_of(run.first()), weights_of(run.second())));
  EXPECT_LT((weights_of(run.first()) - weights_of(run.alone())).abs().mean().item<double>(), 1e-5);
}

TEST(GradientExchangeTest, TwoRunsAreTheSameBitByBit) {
  TwoProcesses one({.max_delay = Seconds(0.002), .seed = 1});
  TwoProcesses other({.max_delay = Seconds(0.002), .seed = 2});

  for (int step = 0; step < 5; ++step) {
    one.step(step);
    other.step(step);
  }

  EXPECT_TRUE(torch::equal(weights_of(one.first()), weights_of(other.first())));
}

// Notes which slices were sent before the backward pass was over.
class WatchedGroup : public SingleProcess {
 public:
  ProcessRank rank() const override { return {.rank = 0, .world = 2}; }
  std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                             const Sending& sending) override {
    ++sent;
    values_sent += values.numel();
    return SingleProcess::start_all_reduce(values, sending);
  }

  void fail(std::string_view why) noexcept override { reason = why; }

  int sent = 0;
  std::int64_t values_sent = 0;
  std::string reason;  // why this process said that it goes
};

class SlicesTest : public testing::Test {
 protected:
  // As the last microbatch of an update would.
  void backward(GradientExchange& exchange) {
    const torch::Tensor loss = (model_.parameters[0] * 0.0).sum();
    torch::Tensor sum = loss;
    for (const torch::Tensor& parameter : model_.parameters) {
      sum = sum + parameter.square().sum();
    }
    exchange.backward(sum);
  }
  torch::Tensor expected() const {
    torch::Tensor gradient = model_.layout.make_block(torch::kCPU);
    for (std::size_t i = 0; i < model_.parameters.size(); ++i) {
      model_.layout.view(gradient, i).copy_(2 * model_.parameters[i].detach());
    }
    return gradient;
  }

  TrainedModel model_ = make_trained_model(small_shape(), {}, 1, torch::kCPU);
  torch::Tensor sums_ = torch::zeros({kLossSums});
  WatchedGroup group_;
};

TEST_F(SlicesTest, AreSentWhileTheBackwardPassRuns) {
  GradientExchange exchange(model_, group_, {.min_slice = kSmallSlices});
  backward(exchange);
  EXPECT_EQ(group_.sent, 0);  // the order is not known yet
  exchange.finish(sums_);
  model_.gradient.zero_();
  const int slices = group_.sent - 1;  // and the sums of the losses
  group_.sent = 0;
  group_.values_sent = 0;

  backward(exchange);

  EXPECT_GT(slices, 8);
  EXPECT_EQ(group_.sent, slices);
  EXPECT_EQ(group_.values_sent, model_.layout.size());
  EXPECT_TRUE(torch::equal(model_.gradient, expected()));
}

TEST_F(SlicesTest, AreSentAtTheEndWithoutOverlap) {
  GradientExchange exchange(model_, group_, {.min_slice = kSmallSlices, .overlap = false});
  backward(exchange);
  exchange.finish(sums_);
  const int all = group_.sent;

  backward(exchange);

  EXPECT_EQ(group_.sent, all);
  exchange.finish(sums_);
  EXPECT_EQ(group_.sent, 2 * all);
}

TEST_F(SlicesTest, CoverEveryValueOnce) {
  GradientExchange exchange(model_, group_, {.min_slice = kSmallSlices});

  exchange.finish(sums_);

  EXPECT_EQ(group_.values_sent, model_.layout.size() + kLossSums);
}

// A pass that fails halfway has sent some slices; the rows are done again, and each parameter gets
// its gradient once.
TEST_F(SlicesTest, APassThatFailsHalfwayIsCompletedByTheNextOnes) {
  GradientExchange exchange(model_, group_, {.min_slice = kSmallSlices});
  backward(exchange);
  exchange.finish(sums_);
  model_.gradient.zero_();
  const std::size_t middle = model_.parameters.size() / 2;
  bool fails = true;
  model_.parameters[middle].register_hook([&](const torch::Tensor&) {
    if (fails) {
      throw std::runtime_error("no memory");
    }
  });

  EXPECT_THROW(backward(exchange), std::exception);
  fails = false;
  exchange.do_again();
  backward(exchange);
  exchange.finish(sums_);

  EXPECT_TRUE(torch::equal(model_.gradient, expected()));
}

// Memory runs out while a slice is sent, inside the backward pass: the others wait for it.
class FullWhenSendingGroup : public WatchedGroup {
 public:
  std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                             const Sending& sending) override {
    if (fails) {
      fails = false;
      throw std::runtime_error("no memory");
    }
    places.push_back(values.storage_offset());
    return WatchedGroup::start_all_reduce(values, sending);
  }

  bool fails = false;
  std::vector<std::int64_t> places;  // where the values that were sent begin
};

TEST_F(SlicesTest, ASliceThatCouldNotBeSentIsSentAgainInItsTurn) {
  FullWhenSendingGroup group;
  GradientExchange exchange(model_, group, {.min_slice = kSmallSlices});
  for (int update = 0; update < 2; ++update) {  // the first agrees on the order
    group.places.clear();
    backward(exchange);
    exchange.finish(sums_);
    model_.gradient.zero_();
  }
  const std::vector<std::int64_t> expected_places = group.places;

  group.places.clear();
  group.fails = true;
  EXPECT_THROW(backward(exchange), std::exception);
  exchange.do_again();
  backward(exchange);
  exchange.finish(sums_);

  EXPECT_EQ(group.places, expected_places);
  EXPECT_TRUE(torch::equal(model_.gradient, expected()));
}

// A task that fails in one phase of the first batch.
class FailingTask : public TrainTask {
 public:
  FailingTask(TrainTask& task, std::size_t phase) : task_(task), phase_(phase) {}

  const std::vector<TaskPart>& parts() const override { return task_.parts(); }
  std::span<const TaskPhase> phases() const override { return task_.phases(); }
  std::int64_t num_sums() const override { return task_.num_sums(); }
  StepLosses to_losses(const std::function<double(std::size_t)>& mean) const override {
    return task_.to_losses(mean);
  }
  std::shared_ptr<const TaskRows> longest_rows(const BatchShape& shape) const override {
    return task_.longest_rows(shape);
  }
  std::shared_ptr<const TaskRows> rows_of(const DeviceBatch& batch) const override {
    return std::make_shared<Rows>(task_.rows_of(batch), phase_);
  }

 private:
  class Gradient : public TaskGradient {
   public:
    Gradient(std::unique_ptr<TaskGradient> gradient, std::size_t phase)
        : gradient_(std::move(gradient)), phase_(phase) {}
    void run_phase(std::size_t phase, const torch::Tensor& sums) override {
      if (phase == phase_) {
        throw std::runtime_error("the encoded text has a NaN");
      }
      gradient_->run_phase(phase, sums);
    }

   private:
    const std::unique_ptr<TaskGradient> gradient_;
    const std::size_t phase_;
  };
  class Rows : public TaskRows {
   public:
    Rows(std::shared_ptr<const TaskRows> rows, std::size_t phase)
        : rows_(std::move(rows)), phase_(phase) {}
    std::unique_ptr<TaskGradient> gradient(RowRange rows,
                                           const GradientOptions& options) const override {
      return std::make_unique<Gradient>(rows_->gradient(rows, options), phase_);
    }

   private:
    const std::shared_ptr<const TaskRows> rows_;
    const std::size_t phase_;
  };

  TrainTask& task_;
  const std::size_t phase_;
};

// Its host may wait for the others, and they for this one, in every phase of a step.
class FailingPhaseTest : public testing::TestWithParam<std::size_t> {};

TEST_P(FailingPhaseTest, TheOthersAreTold) {
  StepBench bench;
  WatchedGroup group;
  FailingTask task(bench.task(), GetParam());
  TrainStep step(bench.device(), bench.stream(), task, with(group));
  const MadeUpBatch batch({0, 1}, kHalf);
  const Clock::time_point now = Clock::now();

  EXPECT_THROW(  // by whatever comes after the work has failed
      {
        step.accumulate(
            batch.get(), {.host_busy_since = now, .asked = now, .handed = now}, BatchPlace::last);
        bench.stream().synchronise();
      },
      std::exception);

  EXPECT_EQ(group.reason, "the encoded text has a NaN");
}

TEST(FailingCheckpointTest, TheOthersAreTold) {
  WatchedGroup group;
  StepBench bench(with(group));

  EXPECT_THROW(
      {
        bench.step().submit_checkpoint_work(
            [] { throw std::runtime_error("no memory for a copy"); });
        bench.stream().synchronise();
      },
      std::exception);

  EXPECT_EQ(group.reason, "no memory for a copy");
}

INSTANTIATE_TEST_SUITE_P(EveryPhase,
                         FailingPhaseTest,
                         testing::Range(std::size_t{0}, kSpeechPhases.size()));

// Only one of the two runs out of memory, somewhere in its pass: it splits its rows, and the sum is
// what it would be.
class OneIsFullTest : public testing::Test {
 protected:
  struct Outcome {
    torch::Tensor weights;
    Bytes idle;
    Bytes peak;
    std::int64_t refusals = 0;
  };

  Outcome run(std::optional<Bytes> limit) const {
    const auto groups = make_thread_groups({.world = 2, .timeout = Seconds(20)});
    StepBench first(with(*groups[0]));
    StepBench second(with(*groups[1]), limit);
    Outcome outcome{.idle = second.device().memory().use().used};
    for (int step = 0; step < 3; ++step) {
      first.accumulate(left_, BatchPlace::last);
      second.accumulate(right_, BatchPlace::last);
      first.update(step, left_.frames() + right_.frames());
      second.update(step, left_.frames() + right_.frames());
      second.stream().synchronise();
      first.stream().synchronise();
    }
    EXPECT_TRUE(torch::equal(first.model().weights, second.model().weights));
    outcome.weights = first.model().weights.clone();
    outcome.peak = second.device().memory().use().high_water;
    outcome.refusals = second.device().memory().use().refusals;
    return outcome;
  }

  static constexpr BatchShape kRows{.rows = 8, .frames = 96, .tokens = 24};
  const MadeUpBatch left_{{0, 1, 2, 3, 4, 5, 6, 7}, kRows};
  const MadeUpBatch right_{{8, 9, 10, 11, 12, 13, 14, 15}, kRows};
};

TEST_F(OneIsFullTest, TheOtherLearnsTheSame) {
  const Outcome roomy = run(std::nullopt);
  const std::int64_t needed = roomy.peak.value - roomy.idle.value;

  for (const int tenths : {6, 7, 8, 9}) {
    const Outcome tight = run(Bytes{roomy.idle.value + needed * tenths / 10});
    EXPECT_GT(tight.refusals, 0) << tenths;
    EXPECT_LT((tight.weights - roomy.weights).abs().mean().item<double>(), 1e-5) << tenths;
  }
}

// One allocation fails, of either rank: in a pass, in an exchange or in an update. The rows are
// done again, or the rank says why it goes; the other one does not wait for it.
class FullAnywhereTest : public testing::Test {
 protected:
  // What the ranks failed with; `refused`: the allocation that fails, counted from the first of the
  // step.
  std::string step(FullAllocator& memory, int refused) const {
    const auto groups = make_thread_groups({.world = 2, .timeout = Seconds(20)});
    std::vector<std::unique_ptr<StepBench>> benches;
    for (const auto& group : groups) {
      benches.push_back(std::make_unique<StepBench>(with(*group)));
    }
    std::array<std::string, 2> failures;
    memory.count = 0;
    memory.refused = refused;
    {  // From the second update on, gradients are sent while the pass still runs.
      std::vector<std::jthread> ranks;
      for (std::size_t rank = 0; rank < 2; ++rank) {
        ranks.emplace_back([&, rank] {
          try {
            for (int update = 0; update < 2; ++update) {
              benches[rank]->accumulate(rank == 0 ? left_ : right_, BatchPlace::last);
              benches[rank]->update(update, left_.frames() + right_.frames());
              benches[rank]->stream().synchronise();
            }
          } catch (const std::exception& error) {
            groups[rank]->fail(error.what());  // as a run does
            failures[rank] = error.what();
          }
        });
      }
    }
    memory.refused = 0;
    if (failures[0].empty() && failures[1].empty()) {
      EXPECT_TRUE(torch::equal(benches[0]->model().weights, benches[1]->model().weights));
    }
    return failures[0] + failures[1];
  }

  const MadeUpBatch left_{{0, 1}, kHalf};
  const MadeUpBatch right_{{2, 3}, kHalf};
};

TEST_F(FullAnywhereTest, NobodyWaitsForARankThatRunsOutOfMemory) {
  FullAllocator memory;
  ASSERT_EQ(step(memory, 0), "");
  const int count = memory.count;
  ASSERT_GT(count, 100);

  for (const int refused : allocations_to_refuse(count)) {
    const std::string failures = step(memory, refused);
    EXPECT_EQ(failures.find("no sign of it"), std::string::npos) << refused << ": " << failures;
  }
}

}  // namespace
}  // namespace qanat
