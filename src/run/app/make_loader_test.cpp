#include "app/make_loader.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "app/loader_options.h"
#include "audio/audio_decoder.h"
#include "audio/wav_writer.h"
#include "base/error.h"
#include "features/feature_fingerprint.h"
#include "features/feature_store_folder.h"
#include "features/mel_extractor.h"
#include "metrics/journal_testing.h"
#include "pipeline/precompute.h"

namespace qanat {
namespace {

constexpr int kToneUtterances = 12;

std::vector<float> tone(int number) {
  std::vector<float> samples(static_cast<std::size_t>(12'000 + 900 * number));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = 0.3F * std::sin(static_cast<float>(i) * 0.01F * static_cast<float>(number + 3));
  }
  return samples;
}

// A small data set in a folder of its own, and everything around it.
class MakeLoaderTest : public testing::Test {
 protected:
  MakeLoaderTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) / "make_loader_test" / test->name();
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ / "wavs");
    std::ofstream manifest(root_ / "metadata.csv");
    for (int i = 0; i < kToneUtterances; ++i) {
      write_wav(wav(i), tone(i), SampleRate{22050});
      manifest << "clip" << i << "|this is clip number " << i << "\n";
    }
    config_.training.epochs = 2;
    config_.data.batch_size = 4;
    config_.data.num_workers = 2;
    config_.data.train_data = root_.string();
    config_.data.cache_dir = (root_ / "cache").string();
    config_.data.feature_dir = (root_ / "features").string();
    config_.pipeline.feature_cache = Megabytes{0};
  }
  MakeLoaderTest(const MakeLoaderTest&) = delete;
  MakeLoaderTest& operator=(const MakeLoaderTest&) = delete;
  ~MakeLoaderTest() override { std::filesystem::remove_all(root_); }

  std::filesystem::path wav(int number) const {
    return root_ / "wavs" / ("clip" + std::to_string(number) + ".wav");
  }

  LoaderRequest request() {
    if (!set_) {
      const TrainingSetOptions options = make_training_set_options(config_, read_host_facts());
      set_ = std::make_shared<const UtteranceSet>(
          *load_utterance_set(root_, options, make_index_sources(*text_, kMel.sample_rate)));
    }
    return {.set = set_, .text = text_};
  }

  PrecomputeReport precompute_all() {
    const LoaderRequest wanted = request();
    const auto source = make_audio_source(wanted);
    return precompute({.manifest = set_->manifest,
                       .index = set_->index,
                       .source = *source,
                       .mel = kMel,
                       .fingerprint = feature_fingerprint(kMel, text_->hash())},
                      {.folder = *config_.data.feature_dir});
  }

  // The rows of a whole run, by utterance; the same in every epoch.
  std::map<std::uint32_t, std::vector<float>> mels(Loader& loader) {
    std::map<std::uint32_t, std::vector<float>> rows;
    while (const auto batch = loader.next()) {
      for (int row = 0; row < batch->rows(); ++row) {
        const auto r = static_cast<std::size_t>(row);
        const auto used =
            batch->mel_row(row).first(static_cast<std::size_t>(batch->mel_lengths()[r]) * 80);
        std::vector<float>& kept = rows[batch->items()[r]];
        EXPECT_TRUE(kept.empty() || std::ranges::equal(kept, used));
        kept.assign(used.begin(), used.end());
      }
    }
    return rows;
  }

  std::filesystem::path root_;
  RunConfig config_;
  std::shared_ptr<const TextFrontEnd> text_ = std::make_shared<const TextFrontEnd>();
  std::shared_ptr<const UtteranceSet> set_;
};

TEST_F(MakeLoaderTest, RowsHoldTheMelAndTokensOfTheirFiles) {
  const auto loader = make_loader(config_, request());

  const auto batch = loader->next();

  ASSERT_TRUE(batch);
  const Utterance& utterance = set_->manifest.utterances[batch->items()[0]];
  AudioDecoder decoder(kMel.sample_rate);
  const auto samples = decoder.decode(audio_path(set_->manifest, utterance)).value();
  std::vector<float> expected(samples.size() / 256 * 80);
  MelExtractor(kMel).extract(samples, expected);
  EXPECT_TRUE(std::ranges::equal(expected, batch->mel_row(0).first(expected.size())));
  const TokenIds tokens = text_->tokens(utterance.text, utterance.language).value();
  EXPECT_TRUE(std::ranges::equal(tokens, batch->token_row(0).first(tokens.size())));
  EXPECT_EQ(batch->token_lengths()[0], static_cast<int>(tokens.size()));
}

TEST_F(MakeLoaderTest, LaterEpochsComeFromMemoryAndAreTheSame) {
  // With more than one worker an utterance may be made for two epochs at the same time.
  config_.data.num_workers = 1;
  const auto plain = make_loader(config_, request());
  config_.pipeline.feature_cache = Megabytes{64};
  const auto cached = make_loader(config_, request());

  EXPECT_EQ(mels(*cached), mels(*plain));
  EXPECT_EQ(cached->stats().from_audio, kToneUtterances);
  EXPECT_EQ(cached->stats().from_cache, kToneUtterances);
}

TEST_F(MakeLoaderTest, FreshShardsAreUsedAndHoldTheSame) {
  config_.data.preprocessing_mode = PreprocessingMode::runtime;
  const auto audio = make_loader(config_, request());
  ASSERT_EQ(precompute_all().num_made, kToneUtterances);
  config_.data.preprocessing_mode = PreprocessingMode::automatic;
  const auto store = make_loader(config_, request());

  EXPECT_EQ(mels(*store), mels(*audio));
  EXPECT_EQ(store->stats().from_store, 2 * kToneUtterances);
  EXPECT_EQ(audio->stats().from_audio, 2 * kToneUtterances);
}

TEST_F(MakeLoaderTest, WhatIsStaleInTheShardsComesFromAudio) {
  ASSERT_EQ(precompute_all().num_made, kToneUtterances);
  write_wav(wav(3), tone(4), SampleRate{22050});
  set_ = nullptr;  // indexed again

  const auto loader = make_loader(config_, request());
  mels(*loader);

  EXPECT_EQ(loader->stats().from_audio, 2);
  EXPECT_EQ(loader->stats().from_store, 2 * (kToneUtterances - 1));
}

TEST_F(MakeLoaderTest, AFolderOfFeaturesThatNobodyNamedIsNotNeeded) {
  const std::filesystem::path beside = root_ / ".qanat" / "features";
  std::filesystem::create_directories(beside.parent_path());
  std::ofstream(beside) << "no folder";
  config_.data.feature_dir = std::nullopt;
  EventList journal;
  LoaderRequest wanted = request();
  wanted.journal = &journal;

  const auto loader = make_loader(config_, std::move(wanted));
  mels(*loader);

  EXPECT_EQ(loader->stats().from_audio, 2 * kToneUtterances);
  const std::vector<DamagedFeatures> told = journal.events<DamagedFeatures>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].reason.find(beside.string()), std::string::npos);
}

TEST_F(MakeLoaderTest, AShardThatCannotBeReadIsJournalledAndAudioIsUsed) {
  ASSERT_EQ(precompute_all().num_made, kToneUtterances);
  const std::filesystem::path shard = shard_path(*config_.data.feature_dir, 0);
  std::filesystem::resize_file(shard, std::filesystem::file_size(shard) / 2);
  EventList journal;
  LoaderRequest wanted = request();
  wanted.journal = &journal;

  const auto loader = make_loader(config_, std::move(wanted));
  mels(*loader);

  EXPECT_EQ(loader->stats().from_audio, 2 * kToneUtterances);
  const std::vector<DamagedFeatures> told = journal.events<DamagedFeatures>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].reason.find(shard.string()), std::string::npos);
}

TEST_F(MakeLoaderTest, OnlyShardsWithoutShardsIsAnErrorThatSaysWhatToDo) {
  config_.data.preprocessing_mode = PreprocessingMode::precompute;

  try {
    make_loader(config_, request());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("qanat precompute"), std::string::npos);
  }
}

TEST_F(MakeLoaderTest, PcmRowsAreTheFilesBitForBit) {
  LoaderRequest wanted = request();
  wanted.payload = PayloadKind::pcm_s16;
  const auto loader = make_loader(config_, std::move(wanted));

  const auto batch = loader->next();

  ASSERT_TRUE(batch);
  const Utterance& utterance = set_->manifest.utterances[batch->items()[0]];
  AudioDecoder decoder(kMel.sample_rate);
  const auto samples = decoder.decode_pcm16(audio_path(set_->manifest, utterance)).value();
  EXPECT_EQ(batch->sample_lengths()[0], static_cast<int>(samples.size()));
  EXPECT_TRUE(std::ranges::equal(samples, batch->pcm_row(0).first(samples.size())));
  const auto padding = batch->pcm_row(0).subspan(samples.size());
  EXPECT_TRUE(std::ranges::all_of(padding, [](std::int16_t v) { return v == 0; }));
}

TEST_F(MakeLoaderTest, AFileThatBreaksAfterTheIndexIsReplacedAndNamed) {
  EventList journal;
  LoaderRequest wanted = request();
  std::ofstream(wav(7)) << "not a wave file";
  std::filesystem::remove(wav(8));
  wanted.journal = &journal;
  config_.pipeline.max_bad_fraction = 0.2;

  const auto loader = make_loader(config_, std::move(wanted));
  const auto rows = mels(*loader);

  EXPECT_EQ(rows.size(), kToneUtterances - 2U);
  std::set<std::string> files;
  for (const BadUtterance& bad : journal.events<BadUtterance>()) {
    files.insert(bad.file);
  }
  EXPECT_EQ(files, (std::set{wav(7).string(), wav(8).string()}));
}

TEST_F(MakeLoaderTest, AFileThatGrewBeyondItsRowIsReplacedNotCut) {
  EventList journal;
  LoaderRequest wanted = request();
  write_wav(wav(0), tone(200), SampleRate{22050});
  wanted.journal = &journal;
  config_.pipeline.max_bad_fraction = 0.2;

  const auto loader = make_loader(config_, std::move(wanted));
  mels(*loader);

  const std::vector<BadUtterance> events = journal.events<BadUtterance>();
  ASSERT_FALSE(events.empty());
  EXPECT_NE(events[0].reason.find("has changed"), std::string::npos);
}

TEST(SpeakerNamesTest, AreSortedAndUnique) {
  Manifest manifest;
  for (const char* speaker : {"nina", "adam", "nina", "", "adam"}) {
    manifest.utterances.push_back({.speaker = speaker});
  }

  EXPECT_EQ(speaker_names(manifest), (std::vector<std::string>{"", "adam", "nina"}));
}

TEST_F(MakeLoaderTest, ASpeakerOutsideOfTheTableHasAnIdBehindIt) {
  LoaderRequest asked = request();
  asked.speakers = {"adam", "nina"};

  const std::optional<Batch> batch = make_loader(config_, std::move(asked))->next();

  ASSERT_TRUE(batch);
  for (const int speaker : batch->speakers()) {
    EXPECT_EQ(speaker, 2);
  }
}

}  // namespace
}  // namespace qanat
