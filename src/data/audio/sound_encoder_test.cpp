#include "audio/sound_encoder.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "base/files.h"

namespace qanat {
namespace {

constexpr SampleRate kEncodedRate{22050};

std::vector<float> tone(std::size_t samples) {
  std::vector<float> wave(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    wave[i] = 0.5F * static_cast<float>(
                         std::sin(2 * std::numbers::pi * 440.0 * static_cast<double>(i) / 22050.0));
  }
  return wave;
}

// In chunks of several lengths, as a server sends it.
std::string encoded(SoundFormat format, std::span<const float> sound) {
  SoundEncoder encoder(format, kEncodedRate);
  std::string bytes;
  for (std::size_t at = 0, chunk = 777; at < sound.size(); at += chunk, chunk = 4410) {
    bytes += encoder.encode(sound.subspan(at, std::min(chunk, sound.size() - at)));
  }
  return bytes + encoder.finish();
}

// A FLAC stream does not say its length, which our decoder asks for (sox and ffmpeg do not): the
// low 32 bits of the samples in all stand at byte 22.
std::string with_length(std::string flac, std::uint32_t samples) {
  for (std::size_t i = 0; i < 4; ++i) {
    flac[22 + i] = static_cast<char>(samples >> (24 - 8 * i));
  }
  return flac;
}

struct EncodedFormat {
  SoundFormat format;
  const char* ending;
  const char* begins;
};
void PrintTo(const EncodedFormat& format, std::ostream* out) {
  *out << format.ending;
}
class SoundEncoderTest : public testing::TestWithParam<EncodedFormat> {};

TEST_P(SoundEncoderTest, WhatIsSentInPartsIsAFileThatOthersRead) {
  const std::vector<float> sound = tone(2 * 22050);
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                                     (std::string("sound_encoder_test") + GetParam().ending);
  const std::string bytes = encoded(GetParam().format, sound);
  ASSERT_TRUE(bytes.starts_with(GetParam().begins)) << bytes.substr(0, 4);
  write_text_file(path,
                  GetParam().format == SoundFormat::flac ? with_length(bytes, 2 * 22050) : bytes);

  AudioDecoder decoder(kEncodedRate);
  const Result<std::span<const float>> heard = decoder.decode(path);

  ASSERT_TRUE(heard) << heard.failure().what;
  EXPECT_NEAR(static_cast<double>(heard.value().size()), 2 * 22050.0, 3000.0);
  double power = 0;
  for (const float sample : heard.value().subspan(11025, 22050)) {
    power += static_cast<double>(sample) * static_cast<double>(sample);
  }
  EXPECT_NEAR(power / 22050, 0.125, 0.01);  // of a sine of 0.5
}

INSTANTIATE_TEST_SUITE_P(All,
                         SoundEncoderTest,
                         testing::Values(EncodedFormat{SoundFormat::flac, ".flac", "fLaC"},
                                         EncodedFormat{SoundFormat::mp3, ".mp3", ""},
                                         EncodedFormat{SoundFormat::opus, ".ogg", "OggS"}),
                         [](const auto& tested) { return std::string(tested.param.ending + 1); });

TEST(SoundEncoderPartsTest, SomeOfItIsThereBeforeTheEnd) {
  for (const SoundFormat format : {SoundFormat::wav,
                                   SoundFormat::pcm,
                                   SoundFormat::flac,
                                   SoundFormat::mp3,
                                   SoundFormat::opus}) {
    SoundEncoder encoder(format, kEncodedRate);

    const std::string first = encoder.encode(tone(11025));

    EXPECT_GT(first.size(), 500U) << content_type(format);
  }
}

TEST(SoundEncoderPartsTest, RawSamplesAreAtTheirOwnRate) {
  const std::string bytes = encoded(SoundFormat::pcm, tone(22050));

  EXPECT_NEAR(static_cast<double>(bytes.size()) / 2, 24000, 4);
}

TEST(SoundEncoderPartsTest, WhatIsNoNumberIsSilence) {
  const std::vector<float> broken(4410, std::nanf(""));

  EXPECT_NO_THROW((void)encoded(SoundFormat::mp3, broken));
}

TEST(SoundEncoderPartsTest, KnowsNamesAndNothingElse) {
  EXPECT_EQ(to_sound_format("opus"), SoundFormat::opus);
  EXPECT_EQ(to_sound_format("aac"), std::nullopt);
  EXPECT_EQ(to_sound_format(""), std::nullopt);
}

}  // namespace
}  // namespace qanat
