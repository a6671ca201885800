// The window between claiming and taking, without a loader around it; run under ThreadSanitizer a
// hundred times over.
#include "pipeline/batch_assembler.h"

#include <atomic>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "batch/hesitant_allocator.h"
#include "pipeline/fake_rows.h"

namespace qanat {
namespace {

constexpr int kRowsPerBatch = 4;

// Counts down with every block it frees, as far as the latch goes.
class CountingAllocator final : public BlockAllocator {
 public:
  explicit CountingAllocator(std::latch& freed) : freed_(freed) {}

  std::byte* allocate(std::size_t bytes) override { return host_->allocate(bytes); }
  void release(std::byte* block, std::size_t bytes) noexcept override {
    host_->release(block, bytes);
    if (!freed_.try_wait()) {
      freed_.count_down();
    }
  }

 private:
  std::latch& freed_;
  std::unique_ptr<BlockAllocator> host_ = make_host_allocator();
};

class BatchAssemblerTest : public testing::Test {
 protected:
  SharedPlan plan(std::int64_t epoch) const {
    return std::make_shared<const BatchPlan>(
        plan_epoch({.lengths = lengths_, .edges = edges_, .batching = batching_, .epoch = epoch}));
  }

  std::unique_ptr<BatchAssembler> make(
      const AssemblerOptions& options,
      std::optional<std::int64_t> end_epoch = std::nullopt,
      std::unique_ptr<BlockAllocator> allocator = make_host_allocator()) const {
    const auto pool = std::make_shared<BlockPool>(
        make_layout(edges_.back().shape(), options.payload).bytes, std::move(allocator));
    return std::make_unique<BatchAssembler>(
        PlanSequence(plan(0), 0, end_epoch),
        [this](std::int64_t epoch) { return plan(epoch); },
        pool,
        [](const PublishedBatch&) { return std::nullopt; },
        options);
  }

  // Claims every row that can be had without waiting.
  static std::vector<RowTask> claim_all(BatchAssembler& assembler, WorkerState& state, int rows) {
    std::vector<RowTask> tasks;
    tasks.reserve(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) {
      tasks.push_back(*assembler.claim(state, {}));
    }
    return tasks;
  }

  // As a worker does, waiting where it has to.
  static void fill_batch(BatchAssembler& assembler, WorkerState& state) {
    for (int row = 0; row < kRowsPerBatch; ++row) {
      assembler.finish(*assembler.claim(state, {}));
    }
  }

  const BatchingConfig batching_{.batch_size = kRowsPerBatch, .max_edges = 2};
  const std::vector<ItemLength> lengths_ = short_lengths(40);
  const BucketEdges edges_ = choose_edges(lengths_, batching_);
  WorkerCounters counters_;
};

TEST_F(BatchAssemblerTest, RowsAreClaimedInPlanOrder) {
  const auto assembler = make({.window = 2, .max_window = 2, .max_blocks = 2});
  WorkerState state{.number = 0, .counters = counters_};

  const std::vector<RowTask> tasks = claim_all(*assembler, state, 2 * kRowsPerBatch);

  for (int i = 0; i < 2 * kRowsPerBatch; ++i) {
    EXPECT_EQ(tasks[static_cast<std::size_t>(i)].row, i % kRowsPerBatch);
    EXPECT_EQ(tasks[static_cast<std::size_t>(i)].slot->batch->id().index, i / kRowsPerBatch);
  }
}

TEST_F(BatchAssemblerTest, BatchesArePublishedInPlanOrderHoweverTheyAreFinished) {
  const auto assembler = make({.window = 3, .max_window = 3, .max_blocks = 3});
  WorkerState state{.number = 0, .counters = counters_};
  const std::vector<RowTask> tasks = claim_all(*assembler, state, 3 * kRowsPerBatch);

  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
    EXPECT_EQ(assembler->ready_stats().size, 0U);
    assembler->finish(*task);
  }

  for (std::int64_t index = 0; index < 3; ++index) {
    EXPECT_EQ(assembler->take({})->id().index, index);
  }
}

TEST_F(BatchAssemblerTest, AFullWindowWaitsForTheConsumer) {
  const auto assembler = make({.window = 1, .max_window = 1, .max_blocks = 1});
  WorkerState state{.number = 0, .counters = counters_};
  for (const RowTask& task : claim_all(*assembler, state, kRowsPerBatch)) {
    assembler->finish(task);
  }
  std::atomic<bool> taken{false};
  std::jthread consumer([&] {
    taken = true;
    (void)assembler->take({});
  });

  const auto task = assembler->claim(state, {});

  ASSERT_TRUE(task);
  EXPECT_TRUE(taken);
  EXPECT_EQ(task->slot->batch->id().index, 1);
}

TEST_F(BatchAssemblerTest, WithoutAWindowABatchIsBegunWhenItIsAskedFor) {
  const auto assembler = make({.window = 0, .max_window = 0, .max_blocks = 1});
  WorkerState state{.number = 0, .counters = counters_};
  std::atomic<int> asked{0};
  std::jthread consumer([&] {
    for (int i = 0; i < 2; ++i) {
      ++asked;
      (void)assembler->take({});
    }
  });

  for (int batch = 0; batch < 2; ++batch) {
    for (const RowTask& task : claim_all(*assembler, state, kRowsPerBatch)) {
      EXPECT_GT(asked, batch);
      assembler->finish(task);
    }
  }
  consumer.join();

  EXPECT_EQ(assembler->outstanding(), 0);
}

TEST_F(BatchAssemblerTest, StopWakesABlockedAndAParkedWorker) {
  const auto assembler = make({.window = 1, .max_window = 1, .max_blocks = 1, .workers = 1});
  WorkerState state{.number = 0, .counters = counters_};
  claim_all(*assembler, state, kRowsPerBatch);
  WorkerCounters parked_counters;
  const auto claim_in_vain = [&](int number, WorkerCounters& counters) {
    return std::jthread([&assembler, number, &counters](const std::stop_token& stop) {
      WorkerState own{.number = number, .counters = counters};
      EXPECT_FALSE(assembler->claim(own, stop));
    });
  };

  std::jthread blocked = claim_in_vain(0, counters_);
  std::jthread parked = claim_in_vain(1, parked_counters);
  blocked.request_stop();
  parked.request_stop();
}

TEST_F(BatchAssemblerTest, AFailureWakesEveryoneAndReachesTheConsumer) {
  const auto assembler = make({.window = 1, .max_window = 1, .max_blocks = 1, .workers = 1});
  WorkerState state{.number = 0, .counters = counters_};
  claim_all(*assembler, state, kRowsPerBatch);
  std::jthread blocked([&] { EXPECT_FALSE(assembler->claim(state, {})); });
  WorkerCounters parked_counters;
  std::jthread parked([&] {
    WorkerState own{.number = 1, .counters = parked_counters};
    EXPECT_FALSE(assembler->claim(own, {}));
  });

  assembler->fail(std::make_exception_ptr(Error("disk gone")));

  EXPECT_THROW((void)assembler->take({}), Error);
}

TEST_F(BatchAssemblerTest, AParkedSeatWorksAgainWhenItIsWanted) {
  const auto assembler = make({.window = 4, .max_window = 4, .max_blocks = 4, .workers = 1});
  WorkerCounters second_counters;
  std::jthread second([&](const std::stop_token& stop) {
    WorkerState own{.number = 1, .counters = second_counters};
    EXPECT_TRUE(assembler->claim(own, stop));
  });

  assembler->set_workers(2);
  second.join();
}

TEST_F(BatchAssemblerTest, ASmallerWindowTakesEffectWithoutLosingBatches) {
  const auto assembler = make({.window = 3, .max_window = 3, .max_blocks = 3});
  WorkerState state{.number = 0, .counters = counters_};
  const std::vector<RowTask> tasks = claim_all(*assembler, state, 3 * kRowsPerBatch);

  assembler->set_window(1);
  for (const RowTask& task : tasks) {
    assembler->finish(task);
  }
  for (std::int64_t index = 0; index < 3; ++index) {
    EXPECT_EQ(assembler->take({})->id().index, index);
  }

  claim_all(*assembler, state, kRowsPerBatch);
  EXPECT_EQ(assembler->outstanding(), 1);
  EXPECT_EQ(assembler->ready_stats().capacity, 1U);
}

// A window is full when it shrinks: its blocks come back later.
TEST_F(BatchAssemblerTest, ASmallerWindowFreesTheBlocksOfTheLargerOne) {
  std::latch freed{2};
  const auto assembler = make({.window = 3, .max_window = 3, .max_blocks = 3},
                              std::nullopt,
                              std::make_unique<CountingAllocator>(freed));
  WorkerState state{.number = 0, .counters = counters_};
  const std::vector<RowTask> tasks = claim_all(*assembler, state, 3 * kRowsPerBatch);

  assembler->set_window(1);
  for (const RowTask& task : tasks) {
    assembler->finish(task);
  }
  for (int i = 0; i < 3; ++i) {
    (void)assembler->take({});
  }

  freed.wait();
  fill_batch(*assembler, state);
  EXPECT_EQ(assembler->take({})->id().index, 3);
}

// The consumer asks before there is a block to fill, and one that it held comes back.
TEST_F(BatchAssemblerTest, ABlockThatIsGivenBackIsFilledAtOnce) {
  Hesitation hesitation;
  const auto assembler = make({.window = 1, .max_window = 1, .max_blocks = 2},
                              std::nullopt,
                              std::make_unique<HesitantAllocator>(hesitation));
  WorkerState state{.number = 0, .counters = counters_};
  for (const RowTask& task : claim_all(*assembler, state, kRowsPerBatch)) {
    assembler->finish(task);
  }
  std::optional<Batch> held = assembler->take({});
  std::jthread worker([&] { fill_batch(*assembler, state); });
  std::jthread consumer([&] { EXPECT_EQ(assembler->take({})->id().index, 1); });
  hesitation.asked.wait();

  held.reset();
  consumer.join();

  hesitation.allowed.count_down();
}

// Pinning a block takes longer than filling it.
TEST_F(BatchAssemblerTest, TheBlocksThatAreThereGoRoundWhileAnotherIsBeingMade) {
  Hesitation hesitation;
  const auto assembler = make({.window = 2, .max_window = 2, .max_blocks = 2},
                              std::nullopt,
                              std::make_unique<HesitantAllocator>(hesitation));
  WorkerState state{.number = 0, .counters = counters_};
  const std::vector<RowTask> first = claim_all(*assembler, state, kRowsPerBatch);
  std::jthread worker([&] { fill_batch(*assembler, state); });  // waits for a block first
  hesitation.asked.wait();

  for (const RowTask& task : first) {
    assembler->finish(task);
  }
  EXPECT_EQ(assembler->take({})->id().index, 0);
  EXPECT_EQ(assembler->take({})->id().index, 1);

  hesitation.allowed.count_down();
}

// An allocator may wait for a lock that the consumer holds while it asks the assembler something.
TEST_F(BatchAssemblerTest, ABlockBeyondTheBudgetIsMadeWithoutTheLock) {
  Hesitation hesitation;
  const auto assembler = make({.window = 1, .max_window = 1, .max_blocks = 1},
                              std::nullopt,
                              std::make_unique<HesitantAllocator>(hesitation));
  WorkerState state{.number = 0, .counters = counters_};
  fill_batch(*assembler, state);
  const std::optional<Batch> held = assembler->take({});
  std::jthread worker([&] { fill_batch(*assembler, state); });
  hesitation.asked.wait();

  EXPECT_EQ(assembler->outstanding(), 0);

  hesitation.allowed.count_down();
  EXPECT_EQ(assembler->take({})->id().index, 1);
}

TEST_F(BatchAssemblerTest, WorkersAndWindowMayChangeAtAnyTime) {
  constexpr int kSeats = 4;
  constexpr std::int64_t kEpochs = 8;
  const auto assembler =
      make({.window = 2, .max_window = 6, .max_blocks = 6, .workers = kSeats}, kEpochs);
  std::vector<WorkerCounters> counters(kSeats);
  std::vector<std::jthread> workers;
  workers.reserve(kSeats);
  for (int number = 0; number < kSeats; ++number) {
    workers.emplace_back([&, number](const std::stop_token& stop) {
      WorkerState state{.number = number, .counters = counters[static_cast<std::size_t>(number)]};
      while (const auto task = assembler->claim(state, stop)) {
        assembler->finish(*task);
      }
    });
  }
  std::jthread tuner([&](const std::stop_token& stop) {
    Random random{9};
    while (!stop.stop_requested()) {
      assembler->set_workers(1 + static_cast<int>(random.below(kSeats)));
      assembler->set_window(1 + static_cast<int>(random.below(6)));
    }
  });

  std::vector<BatchId> taken;
  while (const auto batch = assembler->take({})) {
    taken.push_back(batch->id());
  }

  const std::int64_t per_epoch = plan(0)->size();
  ASSERT_EQ(static_cast<std::int64_t>(taken.size()), kEpochs * per_epoch);
  for (std::int64_t i = 0; i < kEpochs * per_epoch; ++i) {
    EXPECT_EQ(taken[static_cast<std::size_t>(i)],
              (BatchId{.epoch = i / per_epoch, .index = i % per_epoch}));
  }
}

}  // namespace
}  // namespace qanat
