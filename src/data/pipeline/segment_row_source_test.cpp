#include "pipeline/segment_row_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "audio/wav_writer.h"
#include "features/feature_store_writer.h"

namespace qanat {
namespace {

constexpr SegmentOptions kSegment{.frames = 4, .seed = 7};
constexpr SampleCount kLong{10'000};
constexpr std::size_t kFrame = 256;  // samples
constexpr SampleCount kWanted{std::int64_t{4} * 256};

TEST(SegmentStartTest, IsInsideOfTheUtteranceAndTheSameEveryTime) {
  for (std::int64_t epoch = 0; epoch < 1'000; ++epoch) {
    const std::int64_t start = segment_start(kSegment, epoch, 3, kLong, kWanted);

    ASSERT_GE(start, 0);
    ASSERT_LE(start, kLong.value - kWanted.value);
    ASSERT_EQ(start, segment_start(kSegment, epoch, 3, kLong, kWanted));
  }
}

TEST(SegmentStartTest, ChangesWithEpochItemAndSeed) {
  std::set<std::int64_t> starts;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    for (std::uint32_t item = 0; item < 4; ++item) {
      starts.insert(segment_start(kSegment, epoch, item, kLong, kWanted));
      starts.insert(segment_start({.frames = 4, .seed = 8}, epoch, item, kLong, kWanted));
    }
  }

  EXPECT_GE(starts.size(), 30U);  // of 32; two may meet by chance
}

TEST(SegmentStartTest, OfAShortUtteranceIsItsBeginning) {
  EXPECT_EQ(segment_start(kSegment, 5, 3, kWanted, kWanted), 0);
  EXPECT_EQ(segment_start(kSegment, 5, 3, SampleCount{100}, kWanted), 0);
}

TEST(SegmentStartTest, IsAtAMultipleOfTheStep) {
  constexpr SegmentOptions kOnFrames{.frames = 4, .seed = 7, .step = 256};
  std::set<std::int64_t> starts;
  for (std::int64_t epoch = 0; epoch < 1'000; ++epoch) {
    starts.insert(segment_start(kOnFrames, epoch, 3, kLong, kWanted));
  }

  // 10000 samples are 39 whole frames, of which 4 are wanted: each place there is.
  EXPECT_EQ(starts.size(), 36U);
  EXPECT_TRUE(std::ranges::all_of(starts, [](std::int64_t one) { return one % 256 == 0; }));
  EXPECT_EQ(*starts.rbegin(), 35 * 256);
}

// Two clips that count upwards: a sample says where it is.
class SegmentRowsTest : public testing::Test {
 protected:
  SegmentRowsTest()
      : root_(std::filesystem::path(testing::TempDir()) /
              ("qanat_segment_rows_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(root_ / "wavs");
    auto set = std::make_shared<UtteranceSet>();
    set->manifest.root = root_;
    for (const std::int64_t samples : {10'000, 600}) {
      const std::string name = "wavs/clip" + std::to_string(samples) + ".wav";
      std::vector<float> wave(static_cast<std::size_t>(samples));
      for (std::size_t i = 0; i < wave.size(); ++i) {
        wave[i] = static_cast<float>(i + 1) / 32768.0F;
      }
      write_wav(root_ / name, wave, SampleRate{22050});
      Utterance utterance;
      utterance.id = name;
      utterance.audio = name;
      set->manifest.utterances.push_back(utterance);
      set->index.entries.push_back({.samples = SampleCount{samples}, .usable = true});
    }
    set_ = set;
    source_ = std::make_unique<SegmentRowSource>(SegmentRowInputs{.set = set, .segment = kSegment});
  }
  SegmentRowsTest(const SegmentRowsTest&) = delete;
  SegmentRowsTest& operator=(const SegmentRowsTest&) = delete;
  ~SegmentRowsTest() override { std::filesystem::remove_all(root_); }

  std::vector<std::int16_t> row(std::uint32_t item, std::int64_t epoch) {
    std::vector<std::int16_t> pcm(5 * kFrame, -1);
    std::vector<std::int32_t> tokens(1, -1);
    const Result<FilledRow> filled = source_->make_filler()->fill(
        item, {.mel = {}, .pcm = pcm, .tokens = tokens, .epoch = epoch});
    EXPECT_TRUE(filled) << filled.failure().what;
    EXPECT_EQ(filled.value().frames, 4);
    EXPECT_EQ(filled.value().samples, 4 * 256);
    return pcm;
  }

  std::filesystem::path root_;
  std::shared_ptr<const UtteranceSet> set_;
  std::unique_ptr<SegmentRowSource> source_;
};

TEST_F(SegmentRowsTest, HoldThePartThatBeginsThere) {
  const std::int64_t start = segment_start(kSegment, 2, 0, kLong, kWanted);

  const std::vector<std::int16_t> pcm = row(0, 2);

  for (std::size_t i = 0; i < 4 * kFrame; ++i) {
    ASSERT_EQ(pcm[i], start + static_cast<std::int64_t>(i) + 1);
  }
  EXPECT_EQ(pcm[4 * kFrame], -1);
}

TEST_F(SegmentRowsTest, AreOthersInAnotherEpoch) {
  EXPECT_NE(row(0, 2), row(0, 3));
}

TEST_F(SegmentRowsTest, ThatAreShortEndInSilence) {
  const std::vector<std::int16_t> pcm = row(1, 0);

  EXPECT_EQ(pcm[599], 600);
  EXPECT_EQ(pcm[600], 0);
  EXPECT_EQ(pcm[4 * 256 - 1], 0);
}

// A value of the stored mel says in which frame it is; the recordings say something else.
class PredictedRowsTest : public SegmentRowsTest {
 protected:
  static constexpr float kSilence = -11.0F;
  static constexpr std::size_t kBins = 80;

  PredictedRowsTest() {
    const FeatureFolderLock lock = FeatureFolderLock::acquire(folder());
    FeatureStoreWriter writer(lock, {.fingerprint = 1});
    std::vector<float> mel(39 * kBins);
    for (std::size_t i = 0; i < mel.size(); ++i) {
      const std::size_t frame = i / kBins;
      mel[i] = static_cast<float>(frame);
    }
    writer.add({.id = "long", .key = {}, .mel = mel, .tokens = {}});
    writer.add({.id = "short", .key = {}, .mel = std::span(mel).first(2 * kBins), .tokens = {}});
    writer.finish();
    FeatureStore store = FeatureStore::open(folder(), 1);
    std::vector<std::optional<FeatureEntry>> entries = {store.lookup("long", {}).value(),
                                                        store.lookup("short", {}).value()};
    use(std::move(store), std::move(entries));
  }

  std::filesystem::path folder() const { return root_ / "predicted"; }
  void use(FeatureStore store, std::vector<std::optional<FeatureEntry>> entries) {
    source_ = std::make_unique<SegmentRowSource>(SegmentRowInputs{
        .set = set_,
        .segment = kOnFrames,
        .predicted =
            std::make_shared<const PredictedMel>(std::move(store), std::move(entries), kSilence)});
  }
  Result<FilledRow> fill(std::uint32_t item, std::int64_t epoch) {
    return source_->make_filler()->fill(
        item, {.mel = mel_, .pcm = pcm_, .tokens = tokens_, .epoch = epoch});
  }

  static constexpr SegmentOptions kOnFrames{.frames = 4, .seed = 7, .step = 256};
  std::vector<float> mel_ = std::vector<float>(4 * kBins, -1.0F);
  std::vector<std::int16_t> pcm_ = std::vector<std::int16_t>(5 * kFrame, -1);
  std::vector<std::int32_t> tokens_ = {-1};
};

TEST_F(PredictedRowsTest, HoldTheFramesOfTheirSamples) {
  const std::int64_t start = segment_start(kOnFrames, 2, 0, kLong, kWanted);

  ASSERT_TRUE(fill(0, 2));

  EXPECT_EQ(pcm_[0], start + 1);
  for (std::size_t i = 0; i < mel_.size(); ++i) {
    const std::int64_t frame = start / 256 + static_cast<std::int64_t>(i / kBins);
    ASSERT_EQ(mel_[i], static_cast<float>(frame));
  }
}

TEST_F(PredictedRowsTest, EndInSilenceWhereTheUtteranceDoes) {
  ASSERT_TRUE(fill(1, 0));

  EXPECT_EQ(mel_[2 * kBins - 1], 1.0F);
  EXPECT_EQ(mel_[2 * kBins], kSilence);
  EXPECT_EQ(mel_.back(), kSilence);
}

TEST_F(PredictedRowsTest, FailWhereNothingWasPredicted) {
  use(FeatureStore::open(folder(), 1), {std::nullopt, std::nullopt});

  EXPECT_EQ(fill(0, 0).failure().what, "the speech model has predicted no mel for it");
}

TEST_F(PredictedRowsTest, AreNotMadeOfDamagedBytes) {
  const std::filesystem::path shard = shard_path(folder(), 0);
  std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(1000);
  file.put('x');
  file.close();

  EXPECT_NE(fill(0, 0).failure().what.find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace qanat
