#include <cmath>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "app/loader_options.h"
#include "audio/audio_decoder.h"
#include "audio/wav_writer.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DatasetSourcesTest : public testing::Test {
 protected:
  DatasetSourcesTest() { std::filesystem::create_directories(folder_); }
  DatasetSourcesTest(const DatasetSourcesTest&) = delete;
  DatasetSourcesTest& operator=(const DatasetSourcesTest&) = delete;
  ~DatasetSourcesTest() override { std::filesystem::remove_all(folder_); }

  // A second of a tone at 8 kHz.
  std::filesystem::path tone(float level) const {
    std::vector<float> samples(8000);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i] = level * std::sin(0.1F * static_cast<float>(i));
    }
    write_wav(folder_ / "tone.wav", samples, SampleRate{8000});
    return folder_ / "tone.wav";
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                  ("loader_options_sources_test-" + std::to_string(::getpid()));
  TextFrontEnd text_;
  CheckSources sources_ = make_check_sources(text_, SampleRate{22050});
};

TEST_F(DatasetSourcesTest, LengthIsWhatTheDecoderWillDeliver) {
  const std::filesystem::path path = tone(0.3F);

  const Result<SampleCount> length = sources_.index.probe_length(path);

  AudioDecoder decoder(SampleRate{22050});
  const auto decoded = decoder.decode(path);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(length.value().value, std::ssize(decoded.value()));
}

TEST_F(DatasetSourcesTest, TokensAreThoseOfTheFrontEnd) {
  const Utterance utterance{.text = "Hello, 42!", .language = Language::en};

  EXPECT_EQ(sources_.index.count_tokens(utterance).value().value,
            std::ssize(text_.tokens(utterance.text, Language::en).value()));
}

TEST_F(DatasetSourcesTest, ATextWithoutAnythingToSayIsAFailure) {
  EXPECT_FALSE(sources_.index.count_tokens({.text = "☃"}).ok());
}

TEST_F(DatasetSourcesTest, UnknownCharactersAreNamedInBothLanguages) {
  EXPECT_THAT(sources_.unknown_characters({.text = "snow ☃ man ☃"}),
              ElementsAre(NamedCount{"☃", 2}));
  EXPECT_THAT(sources_.unknown_characters({.text = "سلام دنیا", .language = Language::fa}),
              IsEmpty());
}

TEST_F(DatasetSourcesTest, HeadersSayRateAndChannelsOnly) {
  const Result<SoundFacts> facts = sources_.inspect(tone(0.3F), CheckDepth::headers);

  EXPECT_EQ(facts.value().rate, SampleRate{8000});
  EXPECT_FALSE(facts.value().levels.has_value());
}

TEST_F(DatasetSourcesTest, SamplesSayWhatTheySoundLike) {
  EXPECT_GT(sources_.inspect(tone(9.0F), CheckDepth::samples).value().levels->clipped_share, 0.5);
  EXPECT_TRUE(sources_.inspect(tone(0.0F), CheckDepth::samples).value().levels->silent);
}

TEST_F(DatasetSourcesTest, AFileThatIsNoAudioIsAFailureThatNamesIt) {
  std::ofstream(folder_ / "text.wav") << "not audio";

  EXPECT_THAT(sources_.index.probe_length(folder_ / "text.wav").failure().what,
              HasSubstr("text.wav"));
  EXPECT_FALSE(sources_.inspect(folder_ / "text.wav", CheckDepth::samples).ok());
}

TEST_F(DatasetSourcesTest, AnotherRateIsAnotherSetting) {
  EXPECT_NE(make_index_sources(text_, SampleRate{22050}).settings_hash,
            make_index_sources(text_, SampleRate{24000}).settings_hash);
}

}  // namespace
}  // namespace qanat
