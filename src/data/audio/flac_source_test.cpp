// Damage in a FLAC file is noticed: by the checksums of its frames, and by the MD5 of its samples.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "audio/audio_facts.h"
#include "audio/audio_header.h"
#include "audio/test_audio.h"

namespace qanat {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr SampleRate kRate{22050};
constexpr std::size_t kFlips = 500;
// In the file: "fLaC", 4 bytes of block header, then STREAMINFO (34 bytes).
constexpr std::size_t kStreamInfo = 8;
constexpr std::size_t kTotalSamples = kStreamInfo + 17;  // its last byte
constexpr std::size_t kMd5 = kStreamInfo + 18;

// What speech is to an encoder: neither silence nor a pure tone.
std::vector<float> noisy_speech(std::size_t samples) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> noise(-0.05F, 0.05F);
  std::vector<float> wave = sine(180, 22050, samples, 0.3);
  for (float& sample : wave) {
    sample += noise(random);
  }
  return wave;
}

class FlacSourceTest : public AudioFilesTest {
 protected:
  std::string flac(const SndfileFormat& format = {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
                   std::size_t samples = 6'000) const {
    write_sndfile(file("whole.flac"), format, noisy_speech(samples));
    return read_bytes(file("whole.flac"));
  }

  std::optional<std::vector<float>> decoded(const std::string& bytes) {
    const auto samples = decoder_.decode(write_bytes("a.flac", bytes));
    if (!samples) {
      return std::nullopt;
    }
    return std::vector<float>(samples.value().begin(), samples.value().end());
  }

  std::string failure(const std::string& bytes) {
    const auto samples = decoder_.decode(write_bytes("a.flac", bytes));
    const auto facts = inspect_audio(file("a.flac"));
    EXPECT_EQ(samples.ok(), facts.ok());
    return samples ? "no failure" : samples.failure().what;
  }

  AudioDecoder decoder_{kRate};
};

TEST_F(FlacSourceTest, NoneOf500FlippedBitsIsUsedUnlessTheSamplesAreTheSame) {
  const std::string whole = flac();
  const std::optional<std::vector<float>> samples = decoded(whole);
  ASSERT_TRUE(samples);
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> bit(0, 8 * whole.size() - 1);
  std::size_t used_silently = 0;
  std::size_t refused = 0;

  for (std::size_t i = 0; i < kFlips; ++i) {
    const std::size_t at = bit(random);
    std::string damaged = whole;
    damaged[at / 8] = static_cast<char>(damaged[at / 8] ^ (1 << (at % 8)));
    const std::optional<std::vector<float>> found = decoded(damaged);
    refused += found ? 0U : 1U;
    used_silently += found && *found != *samples ? 1U : 0U;
  }

  EXPECT_EQ(used_silently, 0U);
  EXPECT_GT(refused, kFlips / 2);
}

// The header alone is 0.1 % of the file; it deserves every one of its bits.
TEST_F(FlacSourceTest, NoFlippedBitOfTheHeaderIsUsedUnlessTheSamplesAreTheSame) {
  const std::string whole = flac();
  const std::optional<std::vector<float>> samples = decoded(whole);
  ASSERT_TRUE(samples);

  for (std::size_t at = 0; at < 8 * (kMd5 + 16); ++at) {
    std::string damaged = whole;
    damaged[at / 8] = static_cast<char>(damaged[at / 8] ^ (1 << (at % 8)));
    const std::optional<std::vector<float>> found = decoded(damaged);
    EXPECT_TRUE(!found || *found == *samples) << "bit " << at;
  }
}

TEST_F(FlacSourceTest, ADamagedFrameIsNamed) {
  std::string damaged = flac();
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);

  EXPECT_THAT(failure(damaged), HasSubstr("damaged FLAC: "));
}

TEST_F(FlacSourceTest, SamplesThatAreNotThoseOfTheMd5) {
  std::string damaged = flac();
  damaged[kMd5] = static_cast<char>(damaged[kMd5] ^ 1);

  EXPECT_THAT(failure(damaged), HasSubstr("do not match the checksum (MD5) of its header"));
}

TEST_F(FlacSourceTest, AFileWithoutAnMd5IsUsed) {
  std::string streamed = flac();
  const std::optional<std::vector<float>> samples = decoded(streamed);
  streamed.replace(kMd5, 16, std::string(16, '\0'));

  EXPECT_EQ(decoded(streamed), samples);
}

TEST_F(FlacSourceTest, ALastFrameWithoutAnMd5StillHasToBeWhole) {
  std::string fewer = flac();
  fewer.replace(kMd5, 16, std::string(16, '\0'));
  fewer[kTotalSamples] = static_cast<char>(fewer[kTotalSamples] - 1);

  EXPECT_THAT(failure(fewer), HasSubstr("holds more samples than the 5999 of its header"));
}

TEST_F(FlacSourceTest, WhatFollowsTheLastFrameIsNotAudio) {
  const std::string whole = flac();

  EXPECT_EQ(decoded(whole + "TAG" + std::string(125, 'x')), decoded(whole));
}

struct Depth {
  int subtype;
  const char* name;
};

class FlacDepthTest : public AudioFilesTest, public testing::WithParamInterface<Depth> {};

TEST_P(FlacDepthTest, StereoIsReadAsLibsndfileReadsIt) {
  const std::vector<float> wave = noisy_speech(30'000);
  write_sndfile(
      file("a.flac"), {.format = SF_FORMAT_FLAC | GetParam().subtype, .channels = 2}, wave);
  SF_INFO info{};
  SNDFILE* reader = sf_open(file("a.flac").c_str(), SFM_READ, &info);
  std::vector<float> interleaved(30'000);
  ASSERT_EQ(sf_readf_float(reader, interleaved.data(), 15'000), 15'000);
  sf_close(reader);
  std::vector<float> expected;
  for (std::size_t i = 0; i < interleaved.size(); i += 2) {
    expected.push_back((interleaved[i] + interleaved[i + 1]) * 0.5F);
  }
  AudioDecoder decoder(kRate);

  const auto samples = decoder.decode(file("a.flac"));

  ASSERT_TRUE(samples) << samples.failure().what;
  EXPECT_THAT(samples.value(), ElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(All,
                         FlacDepthTest,
                         testing::Values(Depth{SF_FORMAT_PCM_S8, "8"},
                                         Depth{SF_FORMAT_PCM_16, "16"},
                                         Depth{SF_FORMAT_PCM_24, "24"}),
                         [](const auto& depth) { return "Bits" + std::string(depth.param.name); });

}  // namespace
}  // namespace qanat
