#include "audio/wav_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/test_audio.h"

namespace qanat {
namespace {

using testing::HasSubstr;

Result<std::optional<WavLayout>> parse(const WavFields& fields) {
  const std::string bytes = to_bytes(fields);
  EXPECT_TRUE(is_wav(std::as_bytes(std::span(bytes))));
  return parse_wav(std::as_bytes(std::span(bytes)));
}

std::string failure_of(const WavFields& fields) {
  const auto parsed = parse(fields);
  return parsed ? "no failure" : parsed.failure().what;
}

TEST(WavLayoutTest, FindsTheSamplesOfAPlainFile) {
  const auto parsed = parse({});

  ASSERT_TRUE(parsed) << parsed.failure().what;
  EXPECT_EQ(parsed.value()->header(),
            (AudioHeader{.rate = SampleRate{22050},
                         .channels = 1,
                         .samples = SampleCount{4},
                         .encoding = "pcm_s16"}));
  EXPECT_EQ(parsed.value()->data_offset, 44);
}

TEST(WavLayoutTest, SkipsChunksBeforeTheDataWithTheirPadding) {
  const auto parsed =
      parse({.before_data = "LIST" + little_endian<std::uint32_t>(5) + std::string("INFOx\0", 6)});

  ASSERT_TRUE(parsed) << parsed.failure().what;
  EXPECT_EQ(parsed.value()->data_offset, 44 + 14);
  EXPECT_EQ(parsed.value()->samples, SampleCount{4});
}

std::string extensible(std::uint16_t tag, std::string_view guid_tail) {
  return little_endian<std::uint16_t>(22) + little_endian<std::uint16_t>(16) +
         little_endian<std::uint32_t>(4) + little_endian(tag) + std::string(guid_tail);
}

constexpr std::string_view kGuidTail("\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71",
                                     14);

TEST(WavLayoutTest, ReadsTheExtensibleFormat) {
  const auto parsed = parse({.fmt_size = 40, .tag = 0xFFFE, .fmt_rest = extensible(1, kGuidTail)});

  ASSERT_TRUE(parsed) << parsed.failure().what;
  EXPECT_EQ(parsed.value()->format, SampleFormat::pcm_s16);
}

TEST(WavLayoutTest, LeavesOtherEncodingsToLibsndfile) {
  const auto alaw = parse({.tag = 6, .block = 1, .bits = 8});
  const auto ambisonic =
      parse({.fmt_size = 40,
             .tag = 0xFFFE,
             .fmt_rest = extensible(1,
                                    std::string_view("\x00\x00\x21\x07\xD3\x11\x86\x44"
                                                     "\xC8\xC1\xCA\x00\x00\x00",
                                                     14))});

  ASSERT_TRUE(alaw);
  EXPECT_FALSE(alaw.value().has_value());
  ASSERT_TRUE(ambisonic);
  EXPECT_FALSE(ambisonic.value().has_value());
}

class UnfinishedHeaderTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(UnfinishedHeaderTest, MeansSamplesToTheEndOfTheFile) {
  const auto parsed = parse({.riff_size = GetParam(), .data_size = GetParam()});

  ASSERT_TRUE(parsed) << parsed.failure().what;
  EXPECT_EQ(parsed.value()->samples, SampleCount{4});
}

INSTANTIATE_TEST_SUITE_P(Sizes,
                         UnfinishedHeaderTest,
                         testing::Values(0U, 0xFFFFFFFFU, 0x7FFFF000U));

TEST(WavLayoutTest, BelievesAFinishedHeaderThatSaysNoSamples) {
  EXPECT_EQ(failure_of({.riff_size = 36, .data_size = 0, .data = ""}), "no samples");
}

TEST(WavLayoutTest, DropsAnIncompleteLastFrame) {
  const auto parsed = parse({.data_size = 7});

  ASSERT_TRUE(parsed) << parsed.failure().what;
  EXPECT_EQ(parsed.value()->samples, SampleCount{3});
}

TEST(WavLayoutTest, AcceptsAChunkAfterTheData) {
  EXPECT_TRUE(parse({.after_data = "LIST" + little_endian<std::uint32_t>(4) + "INFO"}));
  EXPECT_TRUE(parse({.after_data = "TAGsome title"}));
  EXPECT_TRUE(parse({.after_data = std::string(100, '\0')}));
}

struct BadHeader {
  std::string name;
  WavFields fields;
  std::string reason;
};

class BadHeaderTest : public testing::TestWithParam<BadHeader> {};

TEST_P(BadHeaderTest, IsAFailureThatNamesTheReason) {
  EXPECT_THAT(failure_of(GetParam().fields), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds,
    BadHeaderTest,
    testing::Values(
        BadHeader{
            "Truncated", {.data_size = 80}, "truncated: header says 40 samples, file holds 4"},
        BadHeader{"TruncatedOtherEncoding",
                  {.tag = 6, .block = 1, .bits = 8, .data_size = 80},
                  "truncated: header says 80 bytes, file holds 8"},
        BadHeader{"NoChannels", {.channels = 0}, "0 channels; expected 1 to 64"},
        BadHeader{"ManyChannels", {.channels = 4000}, "4000 channels"},
        BadHeader{"SlowRate", {.rate = 10}, "sample rate 10 Hz; expected 1000 to 768000"},
        BadHeader{"FastRate", {.rate = 0x80000000U}, "sample rate 2147483648 Hz"},
        BadHeader{
            "WrongBlock", {.block = 3}, "header contradicts itself: 3 bytes per frame; expected 2"},
        BadHeader{"ShortFormat", {.fmt_size = 14}, "fmt chunk of 14 bytes"},
        BadHeader{"FormatBeyondTheFile", {.fmt_size = 1000}, "truncated: chunk 'fmt '"},
        BadHeader{"StumpOfData",
                  {.data_size = 2, .data = std::string(20, '\1')},
                  "wrong size in the header: 1 samples, but 18 bytes follow"},
        BadHeader{"AnHour",
                  {.rate = 1000, .data_size = 8'000'000, .data = std::string(8'000'000, '\1')},
                  "longer than an hour"}),
    [](const auto& param) { return param.param.name; });

TEST(WavLayoutTest, NamesTheMissingChunk) {
  const std::string no_fmt = "RIFF....WAVE";
  const std::string no_data = to_bytes({}).substr(0, 36);
  const std::string data_first = "RIFF....WAVEdata" + little_endian<std::uint32_t>(0);

  EXPECT_THAT(parse_wav(std::as_bytes(std::span(no_fmt))).failure().what, HasSubstr("fmt chunk"));
  EXPECT_THAT(parse_wav(std::as_bytes(std::span(no_data))).failure().what, HasSubstr("data chunk"));
  EXPECT_THAT(parse_wav(std::as_bytes(std::span(data_first))).failure().what,
              HasSubstr("before the fmt chunk"));
}

TEST(WavLayoutTest, GivesUpOnEndlessChunks) {
  std::string bytes = "RIFF....WAVE";
  for (int i = 0; i < 2000; ++i) {
    bytes += "junk" + little_endian<std::uint32_t>(0);
  }

  EXPECT_THAT(parse_wav(std::as_bytes(std::span(bytes))).failure().what,
              HasSubstr("more than 1000 chunks"));
}

}  // namespace
}  // namespace qanat
