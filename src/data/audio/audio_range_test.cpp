// A part of a file is what the whole has there, and takes no more of the file than the part.
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "audio/test_audio.h"

namespace qanat {
namespace {

constexpr SampleRate kRangeRate{22050};
constexpr SampleRange kMiddle{.first = SampleCount{20'001}, .count = SampleCount{3'000}};

std::vector<std::int16_t> samples_of(const Result<std::span<const std::int16_t>>& decoded) {
  EXPECT_TRUE(decoded) << decoded.failure().what;
  return decoded ? std::vector(decoded.value().begin(), decoded.value().end())
                 : std::vector<std::int16_t>();
}

// Neither silence nor one tone, so that no two places are alike.
std::vector<float> rising(int rate, std::size_t frames, int channels) {
  std::vector<float> wave;
  for (std::size_t i = 0; i < frames; ++i) {
    const double time = static_cast<double>(i) / rate;
    for (int channel = 0; channel < channels; ++channel) {
      wave.push_back(static_cast<float>(0.4 * std::sin((400 + 100 * channel + 300 * time) * time)));
    }
  }
  return wave;
}

struct RangeFormat {
  const char* name;
  SndfileFormat sndfile;
  int tolerance;  // of a 16-bit sample
};

class AudioRangeTest : public AudioFilesTest, public testing::WithParamInterface<RangeFormat> {};

TEST_P(AudioRangeTest, IsWhatTheWholeHasThere) {
  const SndfileFormat& format = GetParam().sndfile;
  write_sndfile(file("audio"),
                format,
                rising(format.rate, 2 * static_cast<std::size_t>(format.rate), format.channels));
  AudioDecoder decoder(kRangeRate);
  const std::vector<std::int16_t> whole = samples_of(decoder.decode_pcm16(file("audio")));
  ASSERT_GT(whole.size(), 23'001U);

  const std::vector<std::int16_t> part = samples_of(decoder.decode_pcm16(file("audio"), kMiddle));

  ASSERT_EQ(part.size(), 3'000U);
  int largest = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    largest = std::max(largest, std::abs(part[i] - whole[20'001 + i]));
  }
  EXPECT_LE(largest, GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    AudioRangeTest,
    testing::Values(
        RangeFormat{"PlainWav", {}, 0},
        RangeFormat{"StereoWav", {.channels = 2}, 0},
        RangeFormat{"WavOf24Bits", {.format = SF_FORMAT_WAV | SF_FORMAT_PCM_24}, 0},
        RangeFormat{"Flac", {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, 0},
        RangeFormat{"StereoFlac", {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16, .channels = 2}, 0},
        RangeFormat{"Aiff", {.format = SF_FORMAT_AIFF | SF_FORMAT_PCM_16}, 0},
        RangeFormat{"WavOf44100", {.rate = 44'100}, 1},
        RangeFormat{"WavOf16000", {.rate = 16'000}, 1},
        RangeFormat{
            "FlacOf48000", {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16, .rate = 48'000}, 1}),
    [](const auto& test) { return test.param.name; });

class AudioPartTest : public AudioFilesTest {
 protected:
  AudioDecoder decoder_{kRangeRate};
};

// What is not read cannot be found damaged.
TEST_F(AudioPartTest, OfAFlacFileReadsNothingFarFromIt) {
  write_sndfile(
      file("a.flac"), {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, rising(22050, 44'100, 1));
  const std::vector<std::int16_t> whole = samples_of(decoder_.decode_pcm16(file("a.flac")));
  std::string bytes = read_bytes(file("a.flac"));
  bytes[bytes.size() / 8] = static_cast<char>(bytes[bytes.size() / 8] ^ 0x10);
  const auto damaged = write_bytes("damaged.flac", bytes);
  ASSERT_FALSE(decoder_.decode_pcm16(damaged));

  const std::vector<std::int16_t> part = samples_of(
      decoder_.decode_pcm16(damaged, {.first = SampleCount{40'000}, .count = SampleCount{1'000}}));

  EXPECT_EQ(part, std::vector(whole.begin() + 40'000, whole.begin() + 41'000));
}

TEST_F(AudioPartTest, AtTheEndOfAFlacFileIsWhole) {
  write_sndfile(
      file("a.flac"), {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, rising(22050, 22'050, 1));
  const std::vector<std::int16_t> whole = samples_of(decoder_.decode_pcm16(file("a.flac")));

  EXPECT_EQ(samples_of(decoder_.decode_pcm16(
                file("a.flac"), {.first = SampleCount{22'000}, .count = SampleCount{50}})),
            std::vector(whole.end() - 50, whole.end()));
}

TEST_F(AudioPartTest, BehindTheEndIsAFailure) {
  write_sndfile(file("a.wav"), {}, rising(22050, 1'000, 1));

  const auto part =
      decoder_.decode_pcm16(file("a.wav"), {.first = SampleCount{900}, .count = SampleCount{101}});

  ASSERT_FALSE(part);
  EXPECT_THAT(part.failure().what, testing::HasSubstr("file holds 1000"));
}

}  // namespace
}  // namespace qanat
