// What may go wrong between threads; run under ThreadSanitizer a hundred times over.
#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/error.h"
#include "pipeline/fake_rows.h"
#include "pipeline/loader.h"

namespace qanat {
namespace {

LoaderOptions endless(int workers, int window = 3) {
  return {.batching = {.batch_size = 4, .max_edges = 3},
          .seed = 5,
          .workers = workers,
          .window = window};
}

FakeRows small_rows(std::size_t count = 45) {
  return {.lengths = short_lengths(count), .mel_bins = 80};
}

TEST(LoaderConcurrencyTest, StopsRightAfterTheStart) {
  Loader loader(fake_inputs(small_rows()), endless(4));
}

TEST(LoaderConcurrencyTest, StopsWithAFullWindow) {
  std::latch filled(std::ptrdiff_t{3} * 4);
  FakeRows rows = small_rows(48);  // no batch is short
  rows.before_fill = [&filled](std::uint32_t) { filled.count_down(); };
  LoaderOptions options = endless(4);
  options.batching.max_edges = 1;
  Loader loader(fake_inputs(std::move(rows)), options);

  filled.wait();
}

TEST(LoaderConcurrencyTest, StopsInTheMiddleOfTheStream) {
  Loader loader(fake_inputs(small_rows()), endless(3));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(loader.next());
  }
}

TEST(LoaderConcurrencyTest, StopsAcrossAnEpochsEnd) {
  Loader loader(fake_inputs(small_rows(9)), endless(3));
  for (int i = 0; i < 31; ++i) {
    ASSERT_TRUE(loader.next());
  }
}

TEST(LoaderConcurrencyTest, StopsAfterTheLastBatch) {
  LoaderOptions options = endless(3);
  options.epochs = 1;
  Loader loader(fake_inputs(small_rows()), options);
  while (loader.next()) {
  }

  EXPECT_FALSE(loader.next());
}

TEST(LoaderConcurrencyTest, TellsWhenEnoughIsReady) {
  Loader loader(fake_inputs(small_rows()), endless(2, 6));

  const ReadyLevel level = loader.wait_until_ready(6, Seconds{60}, {});

  EXPECT_EQ(level.batches, 6);
  EXPECT_FALSE(level.ended);
}

TEST(LoaderConcurrencyTest, StopsWaitingForMoreThanThereIs) {
  LoaderOptions options = endless(2, 50);
  options.epochs = 1;
  Loader loader(fake_inputs(small_rows(8)), options);

  const ReadyLevel level = loader.wait_until_ready(50, Seconds{60}, {});

  EXPECT_TRUE(level.ended);
  EXPECT_LT(level.batches, 50);
}

// Behind a buffer: the calls of next() say nothing about the consumer, its reports do.
TEST(LoaderConcurrencyTest, TunesToTheReportedPaceOfTheConsumer) {
  LoaderOptions options = endless(1);
  options.workers.reset();
  options.window.reset();
  options.max_workers = 4;
  options.first_workers = 1;
  options.pace = PaceSource::reported;
  Loader loader(fake_inputs(small_rows()), options);
  EXPECT_EQ(loader.stats().active_workers, 1);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable never;

  // By its calls it takes 10 ms a step, for which one worker is plenty; by its reports next to
  // nothing.
  for (int i = 0; i < 500 && loader.stats().active_workers < 4; ++i) {
    ASSERT_TRUE(loader.next());
    loader.report_step(Seconds{1e-9}, Seconds{0});
    never.wait_for(lock, std::chrono::milliseconds(10), [] { return false; });
  }

  EXPECT_EQ(loader.stats().active_workers, 4);
}

TEST(LoaderConcurrencyTest, StopsAfterAFailure) {
  FakeRows rows = small_rows();
  rows.before_fill = [](std::uint32_t item) {
    if (item % 11 == 7) {
      throw Error("disk gone");
    }
  };
  Loader loader(fake_inputs(std::move(rows)), endless(4));
  const auto drain = [&loader] {
    while (loader.next()) {
    }
  };

  EXPECT_THROW(drain(), Error);
}

TEST(LoaderConcurrencyTest, StoppingWaitsForTheRowsInWorkOnly) {
  FakeRows rows = small_rows(400);
  rows.before_fill = [](std::uint32_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // what a row takes
  };
  std::optional<Loader> loader(std::in_place, fake_inputs(std::move(rows)), endless(2, 50));
  ASSERT_TRUE(loader->next());
  const Clock::time_point start = Clock::now();

  loader.reset();

  // The rest of the window would take 2 s; the bound allows for a busy machine.
  EXPECT_LT(seconds_since(start), Seconds{1});
}

TEST(LoaderConcurrencyTest, AStopRequestWakesTheWaitingConsumer) {
  std::latch release(1);
  FakeRows rows = small_rows();
  rows.before_fill = [&release](std::uint32_t) { release.wait(); };  // no batch is ever ready
  Loader loader(fake_inputs(std::move(rows)), endless(2));
  std::stop_source stop;
  std::jthread stopper([&stop] { stop.request_stop(); });

  EXPECT_FALSE(loader.next(stop.get_token()));

  release.count_down();
}

TEST(LoaderConcurrencyTest, TheWindowIsNeverExceeded) {
  // Rows being filled belong to batches that are neither ready nor taken, so their number shows
  // how far ahead the workers are.
  constexpr int kWindow = 3;
  constexpr int kRows = 4;
  std::atomic<int> started{0};
  std::atomic<int> most_ahead{0};
  std::atomic<int> rows_taken{0};
  FakeRows rows = small_rows(44);
  rows.before_fill = [&](std::uint32_t) {
    const int ahead = ++started - rows_taken;
    int most = most_ahead;
    while (ahead > most && !most_ahead.compare_exchange_weak(most, ahead)) {
    }
  };
  LoaderOptions options = endless(4, kWindow);
  options.epochs = 5;
  options.batching.max_edges = 1;
  {
    Loader loader(fake_inputs(std::move(rows)), options);
    while (const auto batch = loader.next()) {
      EXPECT_LE(loader.stats().window.batches, kWindow);
      rows_taken += batch->rows();
    }
  }

  // A batch is taken inside next(), just before it is counted here.
  EXPECT_LE(most_ahead, (kWindow + 1) * kRows);
  EXPECT_GE(most_ahead, kRows);
}

TEST(LoaderConcurrencyTest, TheBudgetIsNeverExceeded) {
  LoaderOptions options = endless(4, 50);
  options.epochs = 4;
  options.budget = Bytes{120'000};
  Loader loader(fake_inputs(small_rows()), options);

  while (const auto batch = loader.next()) {
    const WindowStats window = loader.stats().window;
    EXPECT_LE(window.allocated.value, options.budget.value);
    EXPECT_LE(window.most_bytes.value, options.budget.value);
  }
  EXPECT_LT(loader.stats().window.limit, 50);
}

TEST(LoaderConcurrencyTest, AConsumerThatKeepsEveryBatchIsStillServed) {
  LoaderOptions options = endless(2, 4);
  options.epochs = 2;
  options.budget = Bytes{120'000};
  Loader loader(fake_inputs(small_rows()), options);
  std::vector<Batch> kept;

  while (auto batch = loader.next()) {
    kept.push_back(std::move(*batch));
  }

  EXPECT_EQ(kept.size(), 2 * static_cast<std::size_t>(loader.batches_per_epoch()));
}

TEST(LoaderConcurrencyTest, StatisticsMayBeReadAtAnyTime) {
  LoaderOptions options = endless(3);
  options.epochs = 5;
  Loader loader(fake_inputs(small_rows()), options);
  std::jthread reader([&loader](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const PipelineStats stats = loader.stats();
      EXPECT_LE(stats.ready.popped, stats.ready.pushed);
      (void)loader.position();
    }
  });

  while (loader.next()) {
  }
}

TEST(LoaderConcurrencyTest, ATunedLoaderDeliversTheSameStream) {
  LoaderOptions tuned = endless(1);
  tuned.epochs = 6;
  tuned.workers = std::nullopt;
  tuned.max_workers = 5;
  tuned.window = std::nullopt;
  LoaderOptions fixed = endless(1);
  fixed.epochs = 6;
  Loader one(fake_inputs(small_rows()), fixed);
  Loader many(fake_inputs(small_rows()), tuned);

  EXPECT_EQ(digests(many), digests(one));
}

}  // namespace
}  // namespace qanat
