#include "pipeline/loader.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <latch>
#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <sched.h>

#include "base/error.h"
#include "metrics/journal_testing.h"
#include "pipeline/fake_rows.h"

namespace qanat {
namespace {

constexpr std::size_t kUtterances = 203;

LoaderOptions options_with(int workers, std::int64_t epochs = 1) {
  return {.batching = {.batch_size = 8, .max_edges = 4},
          .seed = 11,
          .epochs = epochs,
          .workers = workers,
          .window = 4,
          .max_bad_fraction = 0.05};
}

FakeRows plain_rows() {
  return {.lengths = short_lengths(kUtterances)};
}

FakeRows rows_with_bad(std::function<bool(std::uint32_t)> is_bad) {
  return {.lengths = short_lengths(kUtterances), .is_bad = std::move(is_bad)};
}

std::vector<std::uint64_t> reference_digests(std::int64_t epochs = 1) {
  Loader loader(fake_inputs(plain_rows()), options_with(1, epochs));
  return digests(loader);
}

TEST(LoaderTest, DeliversEveryUtteranceOncePerEpoch) {
  Loader loader(fake_inputs(plain_rows()), options_with(2, 2));
  std::vector<int> seen(kUtterances);

  while (const auto batch = loader.next()) {
    for (const std::uint32_t item : batch->items()) {
      ++seen[item];
    }
  }

  EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 2; }));
}

TEST(LoaderTest, RowsHoldTheirUtteranceAndThenPadding) {
  const FakeRows rows = plain_rows();
  Loader loader(fake_inputs(rows), options_with(2));

  const auto batch = loader.next();

  ASSERT_TRUE(batch);
  for (int row = 0; row < batch->rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    const std::uint32_t item = batch->items()[r];
    const std::size_t used = rows.lengths[item].frames * std::size_t{80};
    EXPECT_EQ(batch->mel_lengths()[r], static_cast<int>(rows.lengths[item].frames));
    EXPECT_EQ(batch->token_lengths()[r], static_cast<int>(rows.lengths[item].tokens));
    EXPECT_EQ(batch->speakers()[r], static_cast<int>(item % 7));
    EXPECT_EQ(batch->mel_row(row)[0], static_cast<float>(item));
    EXPECT_EQ(batch->token_row(row)[0], static_cast<int>(item) + 1);
    const auto tail = batch->mel_row(row).subspan(used);
    EXPECT_TRUE(std::ranges::all_of(tail, [](float v) { return v == std::log(1e-5F); }));
    const auto token_tail = batch->token_row(row).subspan(rows.lengths[item].tokens);
    EXPECT_TRUE(std::ranges::all_of(token_tail, [](int v) { return v == 0; }));
  }
}

class LoaderWorkersTest : public testing::TestWithParam<int> {};

TEST_P(LoaderWorkersTest, BatchesAreBitIdenticalForAnyNumberOfWorkers) {
  Loader loader(fake_inputs(plain_rows()), options_with(GetParam(), 3));

  EXPECT_EQ(digests(loader), reference_digests(3));
}

TEST_P(LoaderWorkersTest, AndSoAreSubstitutes) {
  const auto is_bad = [](std::uint32_t item) { return item % 50 == 3; };
  Loader one(fake_inputs(rows_with_bad(is_bad)), options_with(1, 2));
  Loader many(fake_inputs(rows_with_bad(is_bad)), options_with(GetParam(), 2));

  EXPECT_EQ(digests(many), digests(one));
}

INSTANTIATE_TEST_SUITE_P(Workers, LoaderWorkersTest, testing::Values(1, 2, 7));

TEST(LoaderTest, ResumingAtAnyBatchContinuesTheSameStream) {
  const std::vector<std::uint64_t> all = reference_digests(2);
  const auto per_epoch = static_cast<std::int64_t>(all.size()) / 2;

  for (std::int64_t k = 0; k < static_cast<std::int64_t>(all.size()); ++k) {
    Loader loader(fake_inputs(plain_rows()),
                  options_with(2, 2),
                  {.epoch = k / per_epoch, .batch = k % per_epoch});
    EXPECT_EQ(digests(loader), std::vector(all.begin() + k, all.end())) << "from batch " << k;
  }
}

TEST(LoaderTest, PositionIsWhereAResumedLoaderContinues) {
  Loader loader(fake_inputs(plain_rows()), options_with(2, 2));
  const std::int64_t per_epoch = loader.batches_per_epoch();
  EXPECT_EQ(loader.position(), (Position{.epoch = 0, .batch = 0}));

  for (std::int64_t i = 0; i + 1 < per_epoch; ++i) {
    ASSERT_TRUE(loader.next());
  }
  EXPECT_EQ(loader.position(), (Position{.epoch = 0, .batch = per_epoch - 1}));
  ASSERT_TRUE(loader.next());

  EXPECT_EQ(loader.position(), (Position{.epoch = 1, .batch = 0}));
}

TEST(LoaderTest, TheRanksTogetherDeliverTheSetOfOneRank) {
  std::multiset<std::uint32_t> items;
  for (int rank = 0; rank < 3; ++rank) {
    LoaderOptions options = options_with(2);
    options.rank = rank;
    options.world = 3;
    Loader loader(fake_inputs(plain_rows()), options);
    while (const auto batch = loader.next()) {
      items.insert(batch->items().begin(), batch->items().end());
    }
  }

  EXPECT_EQ(items.size(), kUtterances);
  EXPECT_EQ(std::set(items.begin(), items.end()).size(), kUtterances);
}

// Each with batches of the same size: what they share is as large as they are many.
TEST(LoaderTest, AnotherNumberOfRanksGoesOnWithTheBatchesOfTheFirst) {
  LoaderOptions options = options_with(2);
  options.group = 2;
  Loader alone(fake_inputs(plain_rows()), options);
  options.world = 4;
  options.rank = 3;
  Loader last(fake_inputs(plain_rows()), options, {.epoch = 0, .batch = 1});
  alone.next();
  const auto all = alone.next();
  const auto part = last.next();

  ASSERT_TRUE(all && part);
  EXPECT_EQ(alone.batches_per_epoch(), last.batches_per_epoch());
  EXPECT_EQ(alone.position(), last.position());
  EXPECT_EQ(all->rows(), 2 * options.batching.batch_size);
  EXPECT_EQ(part->rows(), options.batching.batch_size / 2);
  EXPECT_TRUE(std::ranges::equal(all->items().last(part->items().size()), part->items()));
}

TEST(LoaderTest, ABatchWithFewerRowsThanRanksIsRefused) {
  LoaderOptions options = options_with(2);
  options.group = 1;
  options.world = 9;

  EXPECT_THROW(Loader(fake_inputs(plain_rows()), options), Error);
}

TEST(LoaderTest, WithoutAnEndTheStreamGoesOn) {
  LoaderOptions options = options_with(2);
  options.epochs = std::nullopt;
  Loader loader(fake_inputs(plain_rows()), options);

  for (std::int64_t i = 0; i < 3 * loader.batches_per_epoch(); ++i) {
    ASSERT_TRUE(loader.next());
  }
  EXPECT_EQ(loader.position().epoch, 3);
}

TEST(LoaderTest, BadUtterancesAreReplacedAndJournalledOncePerEpoch) {
  EventList journal;
  const auto is_bad = [](std::uint32_t item) { return item % 50 == 3; };  // 4 of 203
  {
    Loader loader(fake_inputs(rows_with_bad(is_bad), &journal), options_with(2, 2));
    while (const auto batch = loader.next()) {
      EXPECT_TRUE(std::ranges::none_of(batch->items(), is_bad));
    }
    EXPECT_GE(loader.stats().bad, 8);
  }

  const std::vector<BadUtterance> events = journal.events<BadUtterance>();
  std::multiset<std::string> files;
  for (const BadUtterance& event : events) {
    files.insert(event.file);
  }
  EXPECT_EQ(files.size(), 8U);
  EXPECT_EQ(files.count("53.wav"), 2U);
  EXPECT_EQ(events[0].reason, events[0].file + ": damaged");
}

TEST(LoaderTest, TooManyBadUtterancesStopTheRunWithTheNumbers) {
  const auto is_bad = [](std::uint32_t item) { return item % 10 < 3; };
  Loader loader(fake_inputs(rows_with_bad(is_bad)), options_with(2, 2));

  try {
    digests(loader);
    FAIL() << "30 % bad, and no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("max_bad_fraction"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos);
  }
  EXPECT_THROW((void)loader.next(), Error);
}

TEST_P(LoaderWorkersTest, TooManyBadUtterancesStopAtTheSameBatch) {
  const auto batches_before_error = [](int workers) {
    const auto is_bad = [](std::uint32_t item) { return item % 10 < 3; };
    Loader loader(fake_inputs(rows_with_bad(is_bad)), options_with(workers, 2));
    int batches = 0;
    EXPECT_THROW(
        {
          while (loader.next()) {
            ++batches;
          }
        },
        Error);
    return batches;
  };

  EXPECT_EQ(batches_before_error(GetParam()), batches_before_error(1));
}

TEST(LoaderTest, OneBadUtteranceAmongTheFirstFewDoesNotStopTheRun) {
  const std::vector<std::uint64_t> all = reference_digests();
  std::uint32_t first = 0;
  {
    Loader loader(fake_inputs(plain_rows()), options_with(1));
    first = loader.next()->items()[0];
  }
  Loader loader(fake_inputs(rows_with_bad([first](auto item) { return item == first; })),
                options_with(2));

  EXPECT_EQ(digests(loader).size(), all.size());
}

// All in one bucket, and fewer than the limit: substitutes come from other buckets.
TEST_P(LoaderWorkersTest, TheLongestMayAllBeBad) {
  FakeRows rows = plain_rows();
  std::vector<std::uint32_t> by_length(kUtterances);
  std::iota(by_length.begin(), by_length.end(), 0U);
  std::ranges::sort(
      by_length, std::greater{}, [&](auto item) { return rows.lengths[item].frames; });
  const std::set<std::uint32_t> longest(by_length.begin(), by_length.begin() + 9);  // 4.4 %
  rows.is_bad = [longest](std::uint32_t item) { return longest.contains(item); };
  Loader one(fake_inputs(rows), options_with(1, 2));
  Loader many(fake_inputs(rows), options_with(GetParam(), 2));

  const std::vector<std::uint64_t> all = digests(one);

  EXPECT_EQ(static_cast<std::int64_t>(all.size()), 2 * one.batches_per_epoch());
  EXPECT_EQ(digests(many), all);
}

TEST(LoaderTest, ABatchOfNothingButBadUtterancesIsFilledFromOtherBuckets) {
  FakeRows rows{.lengths = std::vector<ItemLength>(54, ItemLength{.frames = 10, .tokens = 4})};
  rows.lengths[20] = rows.lengths[40] = {.frames = 90, .tokens = 9};
  rows.is_bad = [](std::uint32_t item) { return item == 20 || item == 40; };
  LoaderOptions options = options_with(2, 3);
  options.batching.batch_size = 2;

  Loader loader(fake_inputs(rows), options);

  EXPECT_EQ(digests(loader).size(), 3U * 27U);
}

TEST(LoaderTest, OnlyBadUtterancesAreAnErrorEvenWhenAnyShareIsAllowed) {
  LoaderOptions options = options_with(2);
  options.max_bad_fraction = 1.0;
  Loader loader(fake_inputs(rows_with_bad([](auto) { return true; })), options);

  EXPECT_THROW((void)loader.next(), Error);
}

TEST(LoaderTest, AWorkersErrorReachesTheConsumer) {
  FakeRows rows = plain_rows();
  rows.before_fill = [](std::uint32_t item) {
    if (item == 5) {
      throw Error("disk gone");
    }
  };
  Loader loader(fake_inputs(std::move(rows)), options_with(3));

  EXPECT_THROW(digests(loader), Error);
}

TEST(LoaderTest, ItsThreadsStayOnTheCoresTheyAreGiven) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof(allowed), &allowed);
  int core = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(core), &allowed)) {
    ++core;
  }
  cpu_set_t seen;
  CPU_ZERO(&seen);
  FakeRows rows{.lengths = short_lengths(8)};
  rows.before_fill = [&seen](std::uint32_t) { sched_getaffinity(0, sizeof(seen), &seen); };
  LoaderOptions options;
  options.batching = {.batch_size = 8, .max_edges = 1, .max_frames = 64, .max_tokens = 40};
  options.workers = 1;
  options.epochs = 1;
  options.cores = {core};
  Loader loader(fake_inputs(std::move(rows)), options);

  EXPECT_TRUE(loader.next().has_value());

  EXPECT_EQ(CPU_COUNT(&seen), 1);
  EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(core), &seen));
}

TEST(LoaderTest, ASlowRowDoesNotKeepTheRestOfTheWindowFromBeingFilled) {
  // The first row of the first batch is filled only after every other row of the window was.
  constexpr int kWindow = 3;
  FakeRows rows = plain_rows();
  std::vector<std::uint32_t> window_items;
  {
    Loader loader(fake_inputs(rows), options_with(1));
    for (int i = 0; i < kWindow; ++i) {
      const auto batch = loader.next();
      window_items.insert(window_items.end(), batch->items().begin(), batch->items().end());
    }
  }
  const std::uint32_t slow = window_items[0];
  std::latch others(static_cast<std::ptrdiff_t>(window_items.size()) - 1);
  rows.before_fill = [&](std::uint32_t item) {
    if (item == slow) {
      others.wait();
    } else if (!others.try_wait()) {  // only one worker is left to come here
      others.count_down();
    }
  };
  LoaderOptions options = options_with(2);
  options.window = kWindow;
  Loader loader(fake_inputs(std::move(rows)), options);

  EXPECT_EQ(loader.next()->items()[0], slow);
}

TEST(LoaderTest, AfterATimeoutTheSameBatchComesNext) {
  FakeRows rows = plain_rows();
  std::latch opened(1);
  rows.before_fill = [&](std::uint32_t) { opened.wait(); };
  Loader loader(fake_inputs(std::move(rows)), options_with(2));

  EXPECT_FALSE(loader.next({}, Seconds{0}));
  EXPECT_FALSE(loader.next({}, Seconds{0.001}));
  EXPECT_EQ(loader.position(), Position{});
  opened.count_down();

  EXPECT_EQ(loader.next()->id(), (BatchId{.epoch = 0, .index = 0}));
}

TEST(LoaderTest, ABatchLargerThanTheBudgetIsRefusedBeforeAnythingStarts) {
  LoaderOptions options = options_with(2);
  options.budget = Bytes{40'000};

  try {
    Loader loader(fake_inputs(plain_rows()), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a batch size of"), std::string::npos) << error.what();
  }
}

// What an allocator was told to prepare for, and the most that it was asked for.
struct AskedBlocks {
  std::int64_t prepared = 0;
  std::int64_t live = 0;
  std::int64_t most = 0;
};

// Belongs to one loader, whose pool calls it from one thread at a time.
class AskedAllocator final : public BlockAllocator {
 public:
  explicit AskedAllocator(AskedBlocks& asked) : asked_(asked) {}

  std::byte* allocate(std::size_t bytes) override {
    asked_.most = std::max(asked_.most, ++asked_.live);
    return inner_->allocate(bytes);
  }
  void release(std::byte* block, std::size_t bytes) noexcept override {
    --asked_.live;
    inner_->release(block, bytes);
  }
  void prepare(std::size_t /*bytes*/, std::int64_t blocks) override { asked_.prepared = blocks; }

 private:
  AskedBlocks& asked_;
  std::unique_ptr<BlockAllocator> inner_ = make_host_allocator();
};

TEST(LoaderTest, TheAllocatorIsPreparedForAllBlocksBeforeTheFirst) {
  AskedBlocks asked;
  {
    LoaderInputs inputs = fake_inputs(plain_rows());
    inputs.blocks = std::make_unique<AskedAllocator>(asked);
    Loader loader(std::move(inputs), options_with(2));
    EXPECT_EQ(asked.prepared, 4 + 4);  // the window, and what the consumer holds
    std::deque<Batch> held;
    while (std::optional<Batch> batch = loader.next()) {
      held.push_back(*std::move(batch));
      if (held.size() == 4) {
        held.pop_front();
      }
    }
  }

  EXPECT_GT(asked.most, 1);
  EXPECT_LE(asked.most, asked.prepared);
}

TEST(LoaderTest, RefusesAStartBehindTheEnd) {
  EXPECT_THROW(Loader(fake_inputs(plain_rows()), options_with(2), {.epoch = 0, .batch = 999}),
               Error);
  EXPECT_THROW(Loader(fake_inputs(plain_rows()), options_with(2, 1), {.epoch = 1, .batch = 0}),
               Error);
}

TEST(LoaderTest, RefusesADataSetWithNothingToUse) {
  EXPECT_THROW(Loader(fake_inputs({.lengths = std::vector<ItemLength>(10)}), options_with(2)),
               Error);
}

TEST(LoaderTest, ABatchMayBeKeptLongerThanItsLoader) {
  std::optional<Batch> kept;
  {
    Loader loader(fake_inputs(plain_rows()), options_with(2));
    kept = loader.next();
  }

  EXPECT_EQ(digest(*kept), reference_digests()[0]);
}

TEST(LoaderTest, StatisticsAddUp) {
  Loader loader(fake_inputs(plain_rows()), options_with(2, 2));
  std::int64_t batches = 0;
  std::int64_t frames = 0;
  while (const auto batch = loader.next()) {
    ++batches;
    frames += std::accumulate(batch->mel_lengths().begin(), batch->mel_lengths().end(), 0);
  }

  const PipelineStats stats = loader.stats();

  EXPECT_EQ(stats.batches, batches);
  EXPECT_EQ(stats.rows, 2 * static_cast<std::int64_t>(kUtterances));
  EXPECT_EQ(stats.from_audio, stats.rows);
  EXPECT_EQ(stats.workers[0].rows + stats.workers[1].rows, stats.rows);
  EXPECT_EQ(stats.frames.value, frames);
  EXPECT_GT(stats.padding_share(), 0.0);
  EXPECT_LT(stats.padding_share(), 0.5);
  EXPECT_GT(stats.workers[0].busy.count() + stats.workers[1].busy.count(), 0.0);
  EXPECT_EQ(stats.ready.popped, batches);
}

}  // namespace
}  // namespace qanat
