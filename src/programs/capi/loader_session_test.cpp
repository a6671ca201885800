#include "capi/loader_session.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session_testing.h"

namespace qanat {
namespace {

constexpr Seconds kLong{60};
constexpr int kBatches = 3;  // of 12 utterances, 4 at a time

LoaderSettings settings_of(const SmallDataSet& data) {
  return {.config = data.config()};
}

LeasedBatch take(LoaderSession& session) {
  std::optional<LeasedBatch> batch;
  while (!batch) {
    batch = session.next(kLong);
  }
  return *batch;
}

// Take, count the items, release: so many batches.
std::map<std::uint32_t, int> count_items(LoaderSession& session, int batches) {
  std::map<std::uint32_t, int> counts;
  for (int i = 0; i < batches; ++i) {
    const LeasedBatch batch = take(session);
    for (const std::uint32_t item : batch.batch->items()) {
      ++counts[item];
    }
    session.release(batch.lease);
  }
  return counts;
}

std::optional<Misuse> misuse_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const MisuseError& error) {
    return error.kind();
  }
  return std::nullopt;
}

TEST(LoaderSessionTest, HandsOutEveryUtteranceOnceAnEpoch) {
  const SmallDataSet data;
  LoaderSession session(settings_of(data));
  ASSERT_TRUE(session.wait_until_open(kLong));

  const auto counts = count_items(session, 2 * kBatches);

  EXPECT_EQ(counts.size(), 12U);
  EXPECT_EQ(session.position(), (Position{.epoch = 2, .batch = 0}));
  for (const auto& [item, count] : counts) {
    EXPECT_EQ(count, 2) << item;
  }
}

TEST(LoaderSessionTest, CountsRowsThatAreNotUsedAndNoNotes) {
  const SmallDataSet data;
  std::ofstream(std::filesystem::path(*data.config().data.train_data) / "metadata.csv")
      << "id|text|emotion\nclip0|this is one|glad\nclip1|this is two|sad\nnone|no file|sad\n";
  LoaderSettings settings = settings_of(data);
  settings.config.pipeline.max_bad_fraction = 1;
  LoaderSession session(settings);
  ASSERT_TRUE(session.wait_until_open(kLong));

  EXPECT_EQ(session.facts()["utterances"], 2);
  EXPECT_EQ(session.facts()["left_out"], 1);
}

TEST(LoaderSessionTest, ASpeakerWhoIsOnlyValidatedIsUnknown) {
  const SmallDataSet data;
  data.write_manifest("metadata_train.csv", 0, 8, {"anna", "ben"});
  data.write_manifest("metadata_eval.csv", 8, 12, {"anna", "cleo"});
  LoaderSettings settings = settings_of(data);
  settings.part = SetPart::validation;
  LoaderSession session(settings);
  ASSERT_TRUE(session.wait_until_open(kLong));

  const LeasedBatch batch = take(session);

  EXPECT_THAT(session.facts()["speakers"], testing::ElementsAre("anna", "ben"));
  EXPECT_THAT(batch.batch->speakers(), testing::UnorderedElementsAre(0, -1, 0, -1));
}

TEST(LoaderSessionTest, SeekContinuesAsALoaderThatStartedThere) {
  const SmallDataSet data;
  LoaderSession whole(settings_of(data));
  ASSERT_TRUE(whole.wait_until_open(kLong));
  count_items(whole, kBatches + 1);
  const auto rest = count_items(whole, 2);
  LoaderSession other(settings_of(data));
  ASSERT_TRUE(other.wait_until_open(kLong));

  other.seek({.epoch = 1, .batch = 1});

  EXPECT_EQ(other.position(), (Position{.epoch = 1, .batch = 1}));
  EXPECT_EQ(count_items(other, 2), rest);
}

TEST(LoaderSessionTest, AnImpossiblePositionIsRefusedAndChangesNothing) {
  const SmallDataSet data;
  LoaderSession session(settings_of(data));
  ASSERT_TRUE(session.wait_until_open(kLong));

  for (const Position& wrong : {Position{.epoch = 0, .batch = kBatches},
                                Position{.epoch = -1, .batch = 0},
                                Position{.epoch = 0, .batch = -1}}) {
    EXPECT_EQ(misuse_of([&] { session.seek(wrong); }), Misuse::invalid);
  }

  EXPECT_EQ(session.position(), Position{});
  EXPECT_EQ(count_items(session, kBatches).size(), 12U);
}

TEST(LoaderSessionTest, ABatchIsKeptUntilItIsReleasedAndReleasingTwiceIsHarmless) {
  const SmallDataSet data;
  LoaderSession session(settings_of(data));
  ASSERT_TRUE(session.wait_until_open(kLong));
  LeasedBatch taken = take(session);
  const std::weak_ptr<const Batch> memory = std::exchange(taken.batch, nullptr);

  session.release(12345);
  EXPECT_FALSE(memory.expired());
  session.release(taken.lease);
  EXPECT_TRUE(memory.expired());
  session.release(taken.lease);
}

TEST(LoaderSessionTest, AfterCloseEverythingIsRefusedButBatchesStay) {
  const SmallDataSet data;
  LoaderSession session(settings_of(data));
  ASSERT_TRUE(session.wait_until_open(kLong));
  LeasedBatch batch = take(session);
  const std::weak_ptr<const Batch> memory = std::exchange(batch.batch, nullptr);
  const std::vector<float> before(memory.lock()->mel().begin(), memory.lock()->mel().end());

  session.close();
  session.close();

  EXPECT_EQ(misuse_of([&] { session.next(kLong); }), Misuse::closed);
  EXPECT_EQ(misuse_of([&] { session.seek({}); }), Misuse::closed);
  EXPECT_EQ(misuse_of([&] { session.stats(); }), Misuse::closed);
  EXPECT_EQ(misuse_of([&] { session.wait_until_open(kLong); }), Misuse::closed);
  ASSERT_FALSE(memory.expired());
  EXPECT_TRUE(std::ranges::equal(memory.lock()->mel(), before));
  session.release(batch.lease);
}

TEST(LoaderSessionTest, BatchesThatAreAllKeptAreAnErrorAndNotAnEndlessWait) {
  const SmallDataSet data;
  LoaderSettings settings = settings_of(data);
  settings.config.pipeline.memory_budget = Megabytes{1};
  LoaderSession session(settings);
  ASSERT_TRUE(session.wait_until_open(kLong));
  std::vector<LeasedBatch> kept;

  const auto misuse = misuse_of([&] {
    while (kept.size() < 100) {
      if (std::optional<LeasedBatch> batch = session.next(Seconds{0.05})) {
        kept.push_back(*batch);
      }
    }
  });

  EXPECT_EQ(misuse, Misuse::held);
  session.release(kept.front().lease);
  kept.erase(kept.begin());
  EXPECT_GT(take(session).lease, 0);
}

TEST(LoaderSessionTest, ASecondThreadIsRefusedWhileOneIsInside) {
  const SmallDataSet data;
  LoaderSession session(settings_of(data));
  ASSERT_TRUE(session.wait_until_open(kLong));
  std::atomic<int> refused = 0;
  std::atomic<int> taken = 0;

  const auto take_one = [&] {
    if (const auto batch = session.next(kLong)) {
      session.release(batch->lease);
      ++taken;
    }
  };
  const auto consume = [&] {
    for (int i = 0; i < 200; ++i) {
      if (const std::optional<Misuse> misuse = misuse_of(take_one)) {
        EXPECT_EQ(misuse, Misuse::busy);
        ++refused;
      }
    }
  };
  {
    const std::jthread one(consume);
    const std::jthread two(consume);
  }

  EXPECT_EQ(taken + refused, 400);
}

TEST(LoaderSessionTest, CloseWakesAThreadThatWaitsForABatch) {
  const SmallDataSet data;
  LoaderSession session(settings_of(data));
  ASSERT_TRUE(session.wait_until_open(kLong));
  std::atomic<int> rounds = 0;
  std::optional<Misuse> ended;

  const auto consume = [&] {
    for (;;) {
      session.release(take(session).lease);
      ++rounds;
      rounds.notify_all();
    }
  };

  {
    const std::jthread consumer([&] { ended = misuse_of(consume); });
    rounds.wait(0);
    session.close();
  }

  EXPECT_EQ(ended, Misuse::closed);
}

TEST(LoaderSessionTest, AMissingDataSetFailsWhenItIsWaitedFor) {
  LoaderSettings settings;
  settings.config.data.train_data = "/nowhere/at/all";
  LoaderSession session(settings);

  EXPECT_THROW(session.wait_until_open(kLong), Error);
  EXPECT_THROW(session.next(kLong), Error);
}

TEST(LoaderSessionTest, AnotherMelHasItsOwnShape) {
  const SmallDataSet data;
  LoaderSettings settings = settings_of(data);
  settings.mel = {.hop = 300, .mel_bins = 40, .frames = MelFrames::points};
  LoaderSession session(settings);
  ASSERT_TRUE(session.wait_until_open(kLong));

  const LeasedBatch batch = take(session);

  const auto row = static_cast<std::int64_t>(batch.batch->items()[0]);
  const std::int64_t samples = session.utterance(row)["samples"];
  EXPECT_EQ(batch.batch->layout().format.mel_bins, 40);
  EXPECT_EQ(batch.batch->mel_lengths()[0], samples / 300 + 1);
}

TEST(LoaderSessionTest, TheValidationPartIsWhatTheTrainingPartIsNot) {
  const SmallDataSet data;
  data.write_manifest("metadata_train.csv", 0, 8);
  data.write_manifest("metadata_eval.csv", 8, 12);
  LoaderSettings settings = settings_of(data);
  settings.part = SetPart::validation;
  LoaderSession session(settings);
  ASSERT_TRUE(session.wait_until_open(kLong));

  std::set<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.insert(session.utterance(i)["id"].get<std::string>());
  }

  EXPECT_EQ(session.facts()["utterances"], 4);
  EXPECT_THAT(ids, testing::ElementsAre("clip10", "clip11", "clip8", "clip9"));
  EXPECT_EQ(misuse_of([&] { session.utterance(4); }), Misuse::invalid);
}

}  // namespace
}  // namespace qanat
