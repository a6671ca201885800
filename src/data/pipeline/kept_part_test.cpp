// What a view keeps of a clip is all that rows and features are made of.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "audio/wav_writer.h"
#include "dataset/data_view.h"
#include "features/mel_extractor.h"
#include "pipeline/audio_row_source.h"
#include "pipeline/precompute_audit.h"
#include "pipeline/segment_row_source.h"

namespace qanat {
namespace {

constexpr SampleRate kHertz{22050};

// A clip that counts upwards, of which samples 2205 to 13230 are kept: 0.1 s to 0.6 s.
class KeptPartTest : public testing::Test {
 protected:
  KeptPartTest()
      : root_(std::filesystem::path(testing::TempDir()) /
              ("qanat_kept_part_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(root_);
    for (std::size_t i = 0; i < 22050; ++i) {
      wave_.push_back(static_cast<float>(i) / 32768.0F);
    }
    write_wav(root_ / "clip.wav", wave_, kHertz);
    set_->manifest.root = root_;
    set_->manifest.utterances = {
        {.id = "clip",
         .audio = "clip.wav",
         .text = "text",
         .kept = KeptPart{.from = Seconds(0.1), .to = Seconds(0.6), .of = Seconds(1)}}};
    set_->index.entries = {
        {.samples = SampleCount{22050}, .tokens = TokenCount{1}, .usable = true}};
    trim_lengths(set_->manifest, kHertz, set_->index);
  }
  KeptPartTest(const KeptPartTest&) = delete;
  KeptPartTest& operator=(const KeptPartTest&) = delete;
  ~KeptPartTest() override { std::filesystem::remove_all(root_); }

  FilledRow fill(PayloadKind payload) {
    const AudioRowSource source(
        {.set = set_,
         .text = nullptr,
         .read_tokens = [](const Utterance&) -> Result<TokenIds> { return TokenIds{1}; },
         .payload = payload});
    mel_.assign(std::size_t{100} * 80, 0);
    pcm_.assign(30'000, 0);
    tokens_.assign(8, 0);
    const Result<FilledRow> row =
        source.make_filler()->fill(0, {.mel = mel_, .pcm = pcm_, .tokens = tokens_});
    EXPECT_TRUE(row.ok());
    return row.value();
  }

  std::filesystem::path root_;
  std::vector<float> wave_;
  std::shared_ptr<UtteranceSet> set_ = std::make_shared<UtteranceSet>();
  std::vector<float> mel_;
  std::vector<std::int16_t> pcm_;
  std::vector<std::int32_t> tokens_;
};

TEST_F(KeptPartTest, TheIndexKnowsHowMuchIsLeft) {
  EXPECT_EQ(set_->index.entries[0].samples.value, 11025);
}

TEST_F(KeptPartTest, MelIsOfThatPart) {
  const FilledRow row = fill(PayloadKind::mel_f32);

  std::vector<float> expected(static_cast<std::size_t>(row.frames) * 80);
  MelExtractor().extract(std::span<const float>(wave_).subspan(2205, 11025), expected);
  EXPECT_EQ(row.frames, 11025 / 256);
  mel_.resize(expected.size());
  EXPECT_EQ(mel_, expected);
}

TEST_F(KeptPartTest, SamplesAreOfThatPart) {
  const FilledRow row = fill(PayloadKind::pcm_s16);

  EXPECT_EQ(row.samples, 11025);
  EXPECT_EQ(pcm_[0], 2205);
  EXPECT_EQ(pcm_[11024], 13229);
}

TEST_F(KeptPartTest, SegmentsLieInsideOfIt) {
  const SegmentRowSource source({.set = set_, .segment = {.frames = 8, .seed = 3}});
  const std::unique_ptr<RowFiller> filler = source.make_filler();
  pcm_.assign(std::size_t{8} * 256, 0);
  tokens_.assign(1, 0);
  for (std::int64_t epoch = 0; epoch < 50; ++epoch) {
    ASSERT_TRUE(filler->fill(0, {.mel = {}, .pcm = pcm_, .tokens = tokens_, .epoch = epoch}).ok());
    ASSERT_GE(pcm_.front(), 2205);
    ASSERT_LT(pcm_.back(), 13230);
  }
}

TEST_F(KeptPartTest, FeaturesOfTheWholeClipAreOthers) {
  const FeatureKey trimmed = feature_key(set_->manifest.utterances[0], set_->index.entries[0]);
  set_->manifest.utterances[0].kept.reset();

  EXPECT_NE(feature_key(set_->manifest.utterances[0], set_->index.entries[0]).text_hash,
            trimmed.text_hash);
}

}  // namespace
}  // namespace qanat
