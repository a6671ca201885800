#include "pipeline/precompute.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "locale/translator.h"
#include "pipeline/precompute_testing.h"

namespace qanat {
namespace {

constexpr int kNumUtterances = 40;
constexpr std::uint64_t kFingerprint = 42;

class PrecomputeTest : public testing::Test {
 protected:
  PrecomputeTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("qanat_precompute_test_" + std::to_string(::getpid()))),
        dataset_((std::filesystem::remove_all(folder_), folder_ / "data"), kNumUtterances) {
    options_.folder = folder_ / "features";
    options_.shard_limit = Bytes{4096};
  }
  PrecomputeTest(const PrecomputeTest&) = delete;
  PrecomputeTest& operator=(const PrecomputeTest&) = delete;
  ~PrecomputeTest() override { std::filesystem::remove_all(folder_); }

  PrecomputeInputs inputs(const RowSource& source) const {
    return {.manifest = dataset_.manifest(),
            .index = dataset_.index(),
            .source = source,
            .mel = test_mel(),
            .fingerprint = fingerprint_};
  }

  PrecomputeReport run(TestSource::OnFill on_fill = {}) {
    const TestSource source(dataset_, std::move(on_fill));
    return precompute(inputs(source), options_);
  }

  FeatureStore open() const { return FeatureStore::open(options_.folder, fingerprint_); }
  FeatureAudit audit() const {
    return audit_features(open(), dataset_.manifest(), dataset_.index()).value();
  }

  void change_audio(int item) {
    write_text_file(dataset_.audio(item), "another voice");
    dataset_.refresh();
  }

  // The names and bytes of all files but the lock.
  std::map<std::string, std::string> folder_content() const {
    std::map<std::string, std::string> content;
    for (const auto& file : std::filesystem::directory_iterator(options_.folder)) {
      if (file.path().filename() != ".lock") {
        content[file.path().filename()] = read_text_file(file.path()).value();
      }
    }
    return content;
  }

  // Whether what the store hands out for an utterance is what the source makes of it now.
  bool is_right(const FeatureStore& store, std::size_t item) const {
    const Utterance& utterance = dataset_.manifest().utterances[item];
    const IndexEntry& measured = dataset_.index().entries[item];
    const Result<FeatureEntry> entry = store.lookup(utterance.id, feature_key(utterance, measured));
    if (!entry) {
      return false;
    }
    std::vector<float> mel(static_cast<std::size_t>(entry.value().frames.value) * kTestMelBins);
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(entry.value().tokens.value));
    PageBuffer scratch;
    if (!store.read(entry.value(), {.mel = mel, .tokens = tokens}, scratch)) {
      return false;
    }
    std::vector<float> expected(
        static_cast<std::size_t>(mel_frames(measured.samples, test_mel()).value) * kTestMelBins);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = test_mel_value(utterance.text.size(), measured.identity.size.value, i);
    }
    const std::vector<std::int32_t> letters(utterance.text.begin(), utterance.text.end());
    return mel == expected && tokens == letters;
  }

  std::vector<std::size_t> wrong_items() const {
    const FeatureStore store = open();
    std::vector<std::size_t> wrong;
    for (std::size_t i = 0; i < dataset_.manifest().utterances.size(); ++i) {
      if (!is_right(store, i)) {
        wrong.push_back(i);
      }
    }
    return wrong;
  }

  std::filesystem::path folder_;
  TestDataset dataset_;
  std::uint64_t fingerprint_ = kFingerprint;
  PrecomputeOptions options_;
};

TEST_F(PrecomputeTest, MakesEveryUtterance) {
  const PrecomputeReport report = run();

  EXPECT_EQ(report.num_made, kNumUtterances);
  EXPECT_EQ(report.found.count(FeatureState::missing), kNumUtterances);
  EXPECT_GT(report.num_shards, 2U);
  EXPECT_THAT(report.failures, testing::IsEmpty());
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
  EXPECT_TRUE(audit().ok());
}

TEST_F(PrecomputeTest, TheShardsDoNotDependOnTheNumberOfWorkers) {
  std::vector<std::map<std::string, std::string>> contents;
  for (const int workers : {1, 2, 7}) {
    std::filesystem::remove_all(options_.folder);
    options_.workers = workers;
    run();
    contents.push_back(folder_content());
  }

  EXPECT_EQ(contents[0], contents[1]);
  EXPECT_EQ(contents[0], contents[2]);
}

TEST_F(PrecomputeTest, ASecondRunMakesNothingAndChangesNothing) {
  run();
  const auto before = folder_content();
  const TestSource source(dataset_);

  const PrecomputeReport report = precompute(inputs(source), options_);

  EXPECT_EQ(source.num_filled(), 0);
  EXPECT_EQ(report.found.count(FeatureState::fresh), kNumUtterances);
  EXPECT_EQ(folder_content(), before);
}

TEST_F(PrecomputeTest, AChangedAudioFileIsMadeAgainAlone) {
  run();
  change_audio(3);
  EXPECT_EQ(audit().states[3], FeatureState::audio_changed);

  const PrecomputeReport report = run();

  EXPECT_EQ(report.num_made, 1);
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
}

TEST_F(PrecomputeTest, AChangedTextIsMadeAgainAlone) {
  run();
  dataset_.manifest().utterances[5].text = "quite another text";
  dataset_.refresh();
  EXPECT_EQ(audit().states[5], FeatureState::text_changed);

  const PrecomputeReport report = run();

  EXPECT_EQ(report.num_made, 1);
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
}

TEST_F(PrecomputeTest, OtherSettingsReplaceEverything) {
  const std::size_t num_shards = run().num_shards;
  fingerprint_ += 1;
  EXPECT_EQ(audit().count(FeatureState::settings_changed), kNumUtterances);

  const PrecomputeReport report = run();

  EXPECT_EQ(report.num_made, kNumUtterances);
  EXPECT_EQ(report.num_removed, num_shards);
  EXPECT_EQ(folder_content().size(), report.num_shards);
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
}

TEST_F(PrecomputeTest, TheDtypeOfTheFolderStaysUnlessAnotherIsAskedFor) {
  options_.dtype = MelDtype::f16;
  run();
  options_.dtype = std::nullopt;
  EXPECT_EQ(run().num_made, 0);
  options_.dtype = MelDtype::f32;

  const PrecomputeReport report = run();

  EXPECT_EQ(report.num_made, kNumUtterances);
  EXPECT_EQ(folder_content().size(), report.num_shards);
}

TEST_F(PrecomputeTest, AnUtteranceThatLeftTheManifestIsAnOrphanAndKept) {
  run();
  dataset_.manifest().utterances.pop_back();
  dataset_.refresh();

  const PrecomputeReport report = run();

  EXPECT_THAT(report.found.orphans, testing::ElementsAre("utt-39"));
  EXPECT_TRUE(report.found.ok());
  EXPECT_EQ(open().size(), std::size_t{kNumUtterances});
}

TEST_F(PrecomputeTest, AnOrphanIsCarriedOverWhenItsShardGoes) {
  run();
  const FeatureKey key =
      feature_key(dataset_.manifest().utterances.back(), dataset_.index().entries.back());
  dataset_.manifest().utterances.pop_back();
  dataset_.refresh();
  options_.dtype = MelDtype::f16;

  const PrecomputeReport report = run();

  EXPECT_EQ(report.num_made, kNumUtterances - 1);
  EXPECT_EQ(folder_content().size(), report.num_shards);
  const FeatureStore store = open();
  ASSERT_EQ(store.state("utt-39", key), FeatureState::fresh);
  PageBuffer scratch;
  EXPECT_TRUE(store.intact(store.lookup("utt-39", key).value(), scratch));
}

TEST_F(PrecomputeTest, BadUtterancesAreNamedAndTheOthersMade) {
  std::filesystem::remove(dataset_.audio(1));
  dataset_.refresh();

  const PrecomputeReport report = run([](std::uint32_t item) -> Result<Done> {
    return item == 7 ? Result<Done>(Failure{"utt-7.wav: no sound in it"}) : Done{};
  });

  EXPECT_EQ(report.num_made, kNumUtterances - 2);
  ASSERT_EQ(report.failures.size(), 2U);
  EXPECT_THAT(Translator().said(report.failures[0].reason),
              testing::HasSubstr("utt-1.wav: cannot stat"));
  EXPECT_EQ(report.failures[1], (PrecomputeFailure{7, "utt-7.wav: no sound in it"}));
  EXPECT_THAT(wrong_items(), testing::ElementsAre(1, 7));
}

TEST_F(PrecomputeTest, AFileThatChangesMeanwhileIsRefused) {
  const PrecomputeReport report = run([&](std::uint32_t item) -> Result<Done> {
    if (item == 4) {
      write_text_file(dataset_.audio(4), "replaced");
    }
    return Done{};
  });

  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_THAT(Translator().said(report.failures[0].reason),
              testing::HasSubstr("changed while it was read"));
  EXPECT_THAT(wrong_items(), testing::ElementsAre(4));
}

TEST_F(PrecomputeTest, AStoppedRunLeavesWholeShardsAndTheNextOneGoesOn) {
  std::stop_source stop;
  options_.stop = stop.get_token();
  options_.workers = 2;
  const PrecomputeReport stopped = run([&](std::uint32_t item) -> Result<Done> {
    if (item == 35) {
      stop.request_stop();
    }
    return Done{};
  });
  EXPECT_TRUE(stopped.stopped);
  EXPECT_GT(stopped.num_made, 0);
  EXPECT_LT(stopped.num_made, kNumUtterances);
  EXPECT_EQ(folder_content().size(), stopped.num_shards);
  EXPECT_EQ(audit().count(FeatureState::fresh), stopped.num_made);
  options_.stop = {};

  const PrecomputeReport report = run();

  EXPECT_EQ(report.num_made, kNumUtterances - stopped.num_made);
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
}

TEST_F(PrecomputeTest, StoppedBeforeItBeganItMakesNothing) {
  std::stop_source stop;
  stop.request_stop();
  options_.stop = stop.get_token();

  const PrecomputeReport report = run();

  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.num_made, 0);
}

TEST_F(PrecomputeTest, WhatAKilledRunLeftIsRemoved) {
  std::filesystem::create_directories(options_.folder);
  write_text_file(shard_path(options_.folder, 0).string() + ".part-1", "half a shard");

  const PrecomputeReport report = run();

  EXPECT_EQ(report.num_leftovers, 1U);
  EXPECT_EQ(folder_content().size(), report.num_shards);
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
}

TEST_F(PrecomputeTest, ASecondRunAtTheSameTimeIsAnError) {
  const FeatureFolderLock other = FeatureFolderLock::acquire(options_.folder);

  EXPECT_THROW(run(), Error);
}

TEST_F(PrecomputeTest, AnErrorOfAWorkerEndsTheRunAndKeepsWholeShards) {
  const auto fail_late = [](std::uint32_t item) -> Result<Done> {
    if (item == 30) {
      throw Error("the device is gone");
    }
    return Done{};
  };

  EXPECT_THROW(run(fail_late), Error);

  EXPECT_THAT(wrong_items(), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(wrong_items(), testing::SizeIs(testing::Lt(kNumUtterances)));
  run();
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
}

TEST_F(PrecomputeTest, AFullDiskIsAnErrorAndKeepsWholeShards) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full on this system";
  }
  // The third shard cannot be written.
  const auto fill_disk = [&](std::uint32_t item) -> Result<Done> {
    if (item == 0) {
      const std::string part = ".part-" + std::to_string(::getpid());
      std::filesystem::create_symlink("/dev/full", shard_path(options_.folder, 2).string() + part);
    }
    return Done{};
  };

  EXPECT_THROW(run(fill_disk), Error);

  EXPECT_EQ(folder_content().size(), 2U);
  run();
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
}

TEST_F(PrecomputeTest, ReportsItsProgress) {
  std::vector<std::int64_t> done;
  options_.progress = [&](std::int64_t now, std::int64_t total) {
    EXPECT_EQ(total, kNumUtterances);
    done.push_back(now);
  };

  run();

  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_EQ(done.back(), kNumUtterances);
}

// Any byte of any shard: what is handed out is right or refused, and one run repairs it.
class PrecomputeDamageTest : public PrecomputeTest, public testing::WithParamInterface<unsigned> {};

INSTANTIATE_TEST_SUITE_P(Seeds, PrecomputeDamageTest, testing::Range(0U, 20U));

TEST_P(PrecomputeDamageTest, ADamagedByteIsFoundNeverUsedAndFixed) {
  run();
  std::mt19937 random(GetParam());
  const std::vector<ShardFile> shards = list_shards(options_.folder);
  const std::filesystem::path victim = shards[random() % shards.size()].path;
  std::string bytes = read_text_file(victim).value();
  const auto bit = static_cast<unsigned char>(1U << (random() % 8));
  char& byte = bytes[random() % bytes.size()];
  byte = static_cast<char>(static_cast<unsigned char>(byte) ^ bit);
  std::ofstream(victim) << bytes;

  const FeatureAudit damaged = audit();
  const std::vector<std::size_t> refused = wrong_items();
  const PrecomputeReport report = run();

  EXPECT_FALSE(damaged.ok());
  EXPECT_THAT(refused, testing::Not(testing::IsEmpty()));
  EXPECT_EQ(report.num_made, static_cast<std::int64_t>(refused.size()));
  EXPECT_THAT(wrong_items(), testing::IsEmpty());
  EXPECT_TRUE(audit().ok());
}

TEST(FeatureKeyTest, TheLanguageIsPartOfAText) {
  const Utterance english{.text = "2024", .language = Language::en};
  const Utterance persian{.text = "2024", .language = Language::fa};

  EXPECT_NE(feature_key(english, {}).text_hash, feature_key(persian, {}).text_hash);
  EXPECT_EQ(feature_key(english, {}).text_hash, feature_key(english, {}).text_hash);
}

class DividedPrecomputeTest : public PrecomputeTest {
 protected:
  PrecomputeReport run_rank(int rank, int world, const TestSource::OnFill& on_fill = {}) {
    options_.share = {.rank = rank, .world = world};
    return run(on_fill);
  }
};

TEST_F(DividedPrecomputeTest, TheRanksTogetherLeaveAStoreOfEverythingAndMakeItOnce) {
  std::int64_t made = 0;
  for (const int rank : {2, 0, 3, 1}) {
    made += run_rank(rank, 4).num_made;
  }

  EXPECT_EQ(made, kNumUtterances);
  EXPECT_TRUE(audit().ok());
  const FeatureStore store = open();
  for (std::size_t item = 0; item < kNumUtterances; ++item) {
    EXPECT_TRUE(is_right(store, item)) << item;
  }
}

// All of them at once: each begins while the one before is at work.
TEST_F(DividedPrecomputeTest, RanksWorkSideBySideAndAloneNobodyElseMay) {
  bool begun = false;
  const PrecomputeReport first = run_rank(0, 2, [&](std::uint32_t) -> Result<Done> {
    if (!std::exchange(begun, true)) {
      PrecomputeOptions other = options_;
      other.share.rank = 1;
      const TestSource source(dataset_);
      EXPECT_EQ(precompute(inputs(source), other).num_made, kNumUtterances / 2);
      other.share.rank = 0;  // the same one again
      EXPECT_THROW(precompute(inputs(source), other), Error);
      other.share = {};
      EXPECT_THROW(precompute(inputs(source), other), Error);
    }
    return Done{};
  });

  EXPECT_EQ(first.num_made, kNumUtterances / 2);
  EXPECT_TRUE(audit().ok());
}

TEST_F(DividedPrecomputeTest, AnotherNumberOfRanksGoesOnWithWhatIsMissing) {
  run_rank(1, 3);
  change_audio(1);

  std::int64_t made = 0;
  for (const int rank : {0, 1}) {
    made += run_rank(rank, 2).num_made;
  }

  EXPECT_EQ(made, kNumUtterances - 13 + 1);  // 13 are 1 of 3, and one of these has changed
  EXPECT_TRUE(audit().ok());
}

TEST_F(DividedPrecomputeTest, UnfinishedFilesOfOtherRanksStay) {
  std::filesystem::create_directories(options_.folder);
  const std::filesystem::path mine = options_.folder / "shard-000003.qshard.part-7";
  const std::filesystem::path theirs = options_.folder / "shard-000004.qshard.part-8";
  write_text_file(mine, "x");
  write_text_file(theirs, "x");

  EXPECT_EQ(run_rank(1, 2).num_leftovers, 1U);

  EXPECT_FALSE(std::filesystem::exists(mine));
  EXPECT_TRUE(std::filesystem::exists(theirs));
}

}  // namespace
}  // namespace qanat
