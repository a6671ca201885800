#include "voice_server/wyoming_event.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

using State = WyomingParse::State;

TEST(WyomingEventTest, WhatIsWrittenIsReadAgain) {
  const std::string bytes = to_bytes({.type = "audio-chunk",
                                      .data = {{"rate", 22050}, {"text", "سلام"}},
                                      .payload = {"\0\n1", 3}});

  const WyomingParse parse = parse_wyoming_event(bytes + "more");

  ASSERT_EQ(parse.state, State::complete);
  EXPECT_EQ(parse.bytes, bytes.size());
  EXPECT_EQ(parse.event.type, "audio-chunk");
  EXPECT_EQ(parse.event.text("text"), "سلام");
  EXPECT_EQ(parse.event.payload, std::string("\0\n1", 3));
}

TEST(WyomingEventTest, AnyPartOfAnEventIsIncomplete) {
  const std::string bytes =
      to_bytes({.type = "synthesize", .data = {{"text", "a"}}, .payload = "p"});

  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(parse_wyoming_event(bytes.substr(0, length)).state, State::incomplete) << length;
  }
}

TEST(WyomingEventTest, DataMayStandInTheLine) {
  const WyomingParse parse =
      parse_wyoming_event("{\"type\":\"synthesize\",\"data\":{\"voice\":{\"name\":\"x\"}}}\n");

  ASSERT_EQ(parse.state, State::complete);
  EXPECT_EQ(parse.event.text("voice", "name"), "x");
}

class WyomingRefusalTest : public testing::TestWithParam<std::string> {};

TEST_P(WyomingRefusalTest, Refuses) {
  EXPECT_EQ(parse_wyoming_event(GetParam()).state, State::refused);
}

INSTANTIATE_TEST_SUITE_P(All,
                         WyomingRefusalTest,
                         testing::Values("GET / HTTP/1.1\r\n\n",
                                         "[]\n",
                                         "{}\n",
                                         "{\"type\":5}\n",
                                         "{\"type\":\"\"}\n",
                                         "{\"type\":\"a\",\"data_length\":-1}\n",
                                         "{\"type\":\"a\",\"data_length\":\"9\"}\n",
                                         "{\"type\":\"a\",\"data_length\":99999999999999999999}\n",
                                         "{\"type\":\"a\",\"payload_length\":1000000000}\n",
                                         "{\"type\":\"a\",\"data_length\":2}\n[]",
                                         std::string(kMaxWyomingLine, ' ')));

TEST(WyomingEventTest, WhatIsNestedDeeplyIsLeftOut) {
  const std::string deep(10'000, '[');
  const std::string line =
      "{\"type\":\"a\",\"data\":{\"x\":" + deep.substr(0, 5000) + std::string(5000, ']') + "}}\n";

  const WyomingParse parse = parse_wyoming_event(line);

  EXPECT_EQ(parse.state, State::complete);
  EXPECT_LT(parse.event.data.dump().size(), 100U);
}

}  // namespace
}  // namespace qanat
