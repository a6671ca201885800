#include "features/feature_store.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/damage_testing.h"
#include "base/error.h"
#include "base/files.h"
#include "base/thread.h"
#include "features/feature_store_writer.h"
#include "features/shard_testing.h"

namespace qanat {
namespace {

constexpr std::uint64_t kFingerprint = 42;

class FeatureStoreTest : public testing::Test {
 protected:
  FeatureStoreTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("qanat_feature_store_test_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
  }
  FeatureStoreTest(const FeatureStoreTest&) = delete;
  FeatureStoreTest& operator=(const FeatureStoreTest&) = delete;
  ~FeatureStoreTest() override { std::filesystem::remove_all(folder_); }

  struct Written {
    int begin = 0;
    int end = 0;
    MelDtype dtype = MelDtype::f32;
    std::uint64_t fingerprint = kFingerprint;
    Bytes limit = kShardLimit;
  };

  void write(const Written& range) {
    const FeatureFolderLock lock = FeatureFolderLock::acquire(folder_);
    FeatureStoreWriter writer(lock, settings(range), range.limit);
    for (int i = range.begin; i < range.end; ++i) {
      writer.add(make_features(i).record());
    }
    writer.finish();
  }

  static ShardSettings settings(const Written& range) {
    return {.fingerprint = range.fingerprint, .dtype = range.dtype, .mel_bins = kTestBins};
  }

  FeatureStore open() const { return FeatureStore::open(folder_, kFingerprint); }

  std::size_t num_shards() const { return list_shards(folder_).size(); }

  // Flips one bit of a shard, in place.
  void damage(std::uint32_t shard, std::int64_t offset) const {
    std::fstream file(shard_path(folder_, shard), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    const int byte = file.get();
    file.seekp(offset);
    file.put(static_cast<char>(byte ^ 0x10));
  }

  std::filesystem::path folder_;
};

std::vector<float> copied_mel(const FeatureStore& store, const TestFeatures& wanted) {
  std::vector<float> mel(wanted.mel.size());
  const Result<FeatureEntry> entry = store.lookup(wanted.id, wanted.key);
  std::vector<std::int32_t> tokens(wanted.tokens.size());
  PageBuffer scratch;
  const bool is_read =
      entry && store.read(entry.value(), {.mel = mel, .tokens = tokens}, scratch).ok();
  if (!is_read || tokens != wanted.tokens) {
    mel.clear();
  }
  return mel;
}

TEST_F(FeatureStoreTest, WhatWasWrittenIsFound) {
  write({.end = 10});
  const TestFeatures wanted = make_features(7);

  const FeatureStore store = open();

  const Result<FeatureEntry> entry = store.lookup(wanted.id, wanted.key);
  ASSERT_TRUE(entry.ok()) << entry.failure().what;
  EXPECT_EQ(entry.value().frames, FrameCount{17});
  EXPECT_EQ(entry.value().tokens, TokenCount{12});
  EXPECT_EQ(copied_mel(store, wanted), wanted.mel);
  EXPECT_EQ(store.size(), 10U);
}

TEST_F(FeatureStoreTest, HalfPrecisionIsWithinItsRounding) {
  write({.end = 10, .dtype = MelDtype::f16});
  const TestFeatures wanted = make_features(7);

  const std::vector<float> mel = copied_mel(open(), wanted);

  ASSERT_EQ(mel.size(), wanted.mel.size());
  for (std::size_t i = 0; i < mel.size(); ++i) {
    EXPECT_NEAR(mel[i], wanted.mel[i], std::abs(wanted.mel[i]) * 0x1p-11F) << i;
  }
}

TEST_F(FeatureStoreTest, AFolderThatDoesNotExistIsAnEmptyStore) {
  const FeatureStore store = open();

  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(store.state("utt-1", {}), FeatureState::missing);
}

TEST_F(FeatureStoreTest, StaleEntriesAreRefusedWithTheReason) {
  write({.end = 2});
  const FeatureStore store = open();
  FeatureKey other_audio = make_features(1).key;
  other_audio.audio.modified_ns += 1;
  FeatureKey other_text = make_features(1).key;
  other_text.text_hash += 1;

  EXPECT_THAT(store.lookup("utt-1", other_audio).failure().what,
              testing::HasSubstr("another version of the audio file"));
  EXPECT_THAT(store.lookup("utt-1", other_text).failure().what, testing::HasSubstr("another text"));
  EXPECT_THAT(store.lookup("utt-9", other_text).failure().what,
              testing::HasSubstr("not precomputed"));
}

TEST_F(FeatureStoreTest, EntriesOfOtherSettingsAreRefused) {
  write({.end = 2, .fingerprint = kFingerprint + 1});
  const TestFeatures wanted = make_features(1);

  EXPECT_EQ(open().state(wanted.id, wanted.key), FeatureState::settings_changed);
}

TEST_F(FeatureStoreTest, ALaterShardReplacesAnEarlierOne) {
  write({.end = 3});
  {
    const FeatureFolderLock lock = FeatureFolderLock::acquire(folder_);
    FeatureStoreWriter writer(lock, settings({}));
    TestFeatures changed = make_features(1);
    changed.key.audio.size = Bytes{5};
    writer.add(changed.record());
    writer.finish();
  }

  const FeatureStore store = open();

  FeatureKey key = make_features(1).key;
  EXPECT_EQ(store.state("utt-1", key), FeatureState::audio_changed);
  key.audio.size = Bytes{5};
  EXPECT_EQ(store.state("utt-1", key), FeatureState::fresh);
  EXPECT_EQ(store.size(), 3U);
}

TEST_F(FeatureStoreTest, AShardOfOtherSettingsHidesNothing) {
  write({.end = 3});
  write({.end = 3, .fingerprint = kFingerprint + 1});
  const TestFeatures wanted = make_features(1);

  EXPECT_EQ(copied_mel(open(), wanted), wanted.mel);
}

TEST_F(FeatureStoreTest, ADamagedEntryIsNeverHandedOut) {
  write({.end = 3});
  damage(0, sizeof(ShardHeader) + 5);  // in the mel of the first entry
  const TestFeatures first = make_features(0);
  const FeatureStore store = open();
  const FeatureEntry entry = store.lookup(first.id, first.key).value();
  std::vector<float> mel(first.mel.size());
  std::vector<std::int32_t> tokens(first.tokens.size());
  PageBuffer scratch;

  EXPECT_THAT(store.read(entry, {.mel = mel, .tokens = tokens}, scratch).failure().what,
              testing::HasSubstr("utt-0 is damaged: its checksum does not match"));
  EXPECT_EQ(store.state(first.id, first.key), FeatureState::damaged);
  EXPECT_EQ(copied_mel(store, make_features(1)), make_features(1).mel);
}

TEST_F(FeatureStoreTest, AnEntryThatIsDamagedLaterIsNotHandedOut) {
  write({.end = 3});
  const FeatureStore store = open();
  ASSERT_EQ(copied_mel(store, make_features(0)), make_features(0).mel);

  damage(0, sizeof(ShardHeader) + 5);

  EXPECT_TRUE(copied_mel(store, make_features(0)).empty());
  EXPECT_EQ(store.state("utt-0", make_features(0).key), FeatureState::damaged);
}

// Through a memory mapping this would be SIGBUS.
TEST_F(FeatureStoreTest, AShardThatShrinksLosesTheEntriesThatAreGone) {
  write({.end = 50});
  const FeatureStore store = open();

  std::filesystem::resize_file(shard_path(folder_, 0), 1024);

  EXPECT_EQ(copied_mel(store, make_features(0)), make_features(0).mel);
  EXPECT_TRUE(copied_mel(store, make_features(49)).empty());
  EXPECT_EQ(store.state("utt-49", make_features(49).key), FeatureState::damaged);
}

// The limit of a shell is 1024, which is 64 GB of shards; it is one that a process may raise.
TEST_F(FeatureStoreTest, MoreShardsThanTheLimitOnOpenFilesAreOpened) {
  write({.end = 40, .limit = Bytes{1}});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 30, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);

  const FeatureStore store = open();
  const FeatureStore another = open();

  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(store.size(), 40U);
  EXPECT_EQ(another.size(), 40U);
}

TEST_F(FeatureStoreTest, AShardThatIsDeletedStaysReadable) {
  write({.end = 3});
  const FeatureStore store = open();

  std::filesystem::remove(shard_path(folder_, 0));

  EXPECT_EQ(copied_mel(store, make_features(2)), make_features(2).mel);
}

TEST_F(FeatureStoreTest, ADamagedShardIsRefusedWhole) {
  write({.end = 3});
  damage(0, 9);  // in the header
  const TestFeatures wanted = make_features(1);

  const FeatureStore store = open();

  EXPECT_EQ(store.state(wanted.id, wanted.key), FeatureState::missing);
  ASSERT_EQ(store.refused().size(), 1U);
  EXPECT_THAT(store.refused()[0].reason, testing::HasSubstr("damaged header"));
}

TEST_F(FeatureStoreTest, RandomDamageIsNeverHandedOut) {
  write({.end = 6});
  const std::string whole = read_text_file(shard_path(folder_, 0)).value();
  std::mt19937 source = fault_source();

  for (int i = 0; i < num_faults(50); ++i) {
    std::ofstream(shard_path(folder_, 0), std::ios::binary) << damaged(whole, source);
    const FeatureStore store = open();

    for (int item = 0; item < 6; ++item) {
      const TestFeatures wanted = make_features(item);
      ASSERT_THAT(copied_mel(store, wanted),
                  testing::AnyOf(testing::IsEmpty(), testing::ElementsAreArray(wanted.mel)))
          << i;
    }
  }
}

TEST_F(FeatureStoreTest, WhatCannotBeOpenedIsUnreadableAndNotDamaged) {
  write({.end = 3});
  std::filesystem::remove(shard_path(folder_, 0));
  std::filesystem::create_symlink(shard_path(folder_, 0).filename(), shard_path(folder_, 0));

  const FeatureStore store = open();

  ASSERT_EQ(store.refused().size(), 1U);
  EXPECT_EQ(store.refused()[0].kind, FeatureStore::RefusedShard::Kind::unreadable);
  EXPECT_EQ(store.refused()[0].error, ELOOP);
  EXPECT_THAT([&] { store.require_readable(); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("nothing was deleted")));
}

TEST_F(FeatureStoreTest, ARowOfAnotherSizeIsAFailure) {
  write({.end = 1});
  const TestFeatures first = make_features(0);
  const FeatureStore store = open();
  std::vector<float> row(first.mel.size() + 1);
  std::vector<std::int32_t> tokens(first.tokens.size());
  PageBuffer scratch;
  const FeatureEntry entry = store.lookup(first.id, first.key).value();

  EXPECT_THAT(store.read(entry, {.mel = row, .tokens = tokens}, scratch).failure().what,
              testing::HasSubstr("12 mel values and 5 tokens stored; expected 13 and 5"));
}

TEST_F(FeatureStoreTest, ShardsStayBelowTheirLimit) {
  write({.end = 20, .limit = Bytes{4096}});

  EXPECT_GT(num_shards(), 2U);
  for (const ShardFile& shard : list_shards(folder_)) {
    EXPECT_LE(std::filesystem::file_size(shard.path), 4096U);
  }
  EXPECT_EQ(open().size(), 20U);
}

TEST_F(FeatureStoreTest, AnEntryOverTheLimitHasAShardOfItsOwn) {
  write({.end = 3, .limit = Bytes{1}});

  EXPECT_EQ(num_shards(), 3U);
  EXPECT_EQ(open().size(), 3U);
}

TEST_F(FeatureStoreTest, AnUnfinishedShardVanishesAndTheOnesBeforeItStay) {
  {
    const FeatureFolderLock lock = FeatureFolderLock::acquire(folder_);
    FeatureStoreWriter writer(lock, settings({}), Bytes{1});
    writer.add(make_features(0).record());
    writer.add(make_features(1).record());
  }

  EXPECT_EQ(num_shards(), 1U);
  EXPECT_EQ(open().state("utt-0", make_features(0).key), FeatureState::fresh);
  EXPECT_EQ(open().state("utt-1", make_features(1).key), FeatureState::missing);
}

TEST_F(FeatureStoreTest, TheNextWriterRemovesWhatAKilledOneLeft) {
  write({.end = 1});
  const std::filesystem::path leftover = shard_path(folder_, 1).string() + ".part-99999";
  write_text_file(leftover, "half a shard");
  write_text_file(folder_ / "notes.part-1", "not ours");
  EXPECT_EQ(open().size(), 1U);

  write({.begin = 1, .end = 2});

  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "notes.part-1"));
  EXPECT_EQ(open().size(), 2U);
}

TEST_F(FeatureStoreTest, OnlyOneMayWrite) {
  const FeatureFolderLock lock = FeatureFolderLock::acquire(folder_);

  try {
    FeatureFolderLock::acquire(folder_);
    FAIL() << "the lock was given twice";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("another process writes features here"));
  }
}

TEST_F(FeatureStoreTest, TheLockIsFreeAgainAfterItsOwner) {
  { const FeatureFolderLock lock = FeatureFolderLock::acquire(folder_); }

  EXPECT_NO_THROW(FeatureFolderLock::acquire(folder_));
}

TEST_F(FeatureStoreTest, AFullDiskKeepsWhatWasComplete) {
  const FeatureFolderLock lock = FeatureFolderLock::acquire(folder_);
  FeatureStoreWriter writer(lock, settings({}), Bytes{1});
  writer.add(make_features(0).record());
  writer.finish();
  std::filesystem::create_symlink(
      "/dev/full", shard_path(folder_, 1).string() + ".part-" + std::to_string(::getpid()));

  EXPECT_THROW(writer.add(make_features(1).record()), Error);

  EXPECT_EQ(num_shards(), 1U);
  EXPECT_EQ(open().state("utt-0", make_features(0).key), FeatureState::fresh);
}

// For TSan: many threads use the same entries for the first time at the same moment.
TEST_F(FeatureStoreTest, ManyThreadsReadAtOnce) {
  write({.end = 50});
  damage(0, sizeof(ShardHeader) + 5);
  const FeatureStore store = open();
  std::atomic<int> wrong = 0;
  std::latch start(4);
  const auto read_all = [&](const std::stop_token&) {
    start.arrive_and_wait();
    for (int i = 0; i < 50; ++i) {
      const TestFeatures wanted = make_features(i);
      const std::vector<float> expected = i == 0 ? std::vector<float>() : wanted.mel;
      wrong += copied_mel(store, wanted) == expected ? 0 : 1;
    }
  };
  {
    std::vector<std::jthread> readers;
    readers.reserve(4);
    for (int i = 0; i < 4; ++i) {
      readers.push_back(start_thread("reader", read_all));
    }
  }

  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace qanat
