#include "voice_server/speech_order_json.h"

#include <gtest/gtest.h>

#include "page/base64.h"
#include "voice_server/speech_answer.h"

namespace qanat {
namespace {

TEST(SpeechOrderJsonTest, ReadsWhatOpenAisClientsSend) {
  const AskParse parse = parse_speech_ask(
      R"({"input":"سلام","model":"gpt-4o-mini-tts","voice":"anna","instructions":"softly",
          "response_format":"opus","speed":0.5,"stream_format":"sse"})",
      {});

  ASSERT_FALSE(parse.problem);
  EXPECT_EQ(parse.ask.order.text, "سلام");
  EXPECT_EQ(parse.ask.order.voice, "anna");
  EXPECT_EQ(parse.ask.order.speed, 0.5);
  EXPECT_EQ(parse.ask.format, SoundFormat::opus);
  EXPECT_EQ(parse.ask.form, AnswerForm::events);
  EXPECT_EQ(parse.ask.characters, 4U);
}

TEST(SpeechOrderJsonTest, HasOpenAisDefaults) {
  const AskParse parse = parse_speech_ask(R"({"input":"a","speed":null})", {});

  ASSERT_FALSE(parse.problem);
  EXPECT_EQ(parse.ask.format, SoundFormat::mp3);
  EXPECT_EQ(parse.ask.order.speed, 1.0);
  EXPECT_EQ(parse.ask.form, AnswerForm::audio);
}

TEST(SpeechOrderJsonTest, TheLimitCountsCharactersNotBytes) {
  EXPECT_FALSE(parse_speech_ask(R"({"input":"سلام"})", {.characters = 4}).problem);
  EXPECT_TRUE(parse_speech_ask(R"({"input":"سلام!"})", {.characters = 4}).problem);
}

TEST(SpeechOrderJsonTest, DepthDoesNotOverflowTheStack) {
  const std::string deep = "{\"input\":\"a\",\"response_format\":" + std::string(100'000, '[') +
                           std::string(100'000, ']') + "}";

  EXPECT_EQ(parse_speech_ask(deep, {}).problem->field, "response_format");
}

TEST(SpeechOrderJsonTest, NamesOfOpenAisVoicesMeanTheDefault) {
  const VoiceFacts facts{.model = "m", .voices = {{.id = "anna"}, {.id = "nova"}}};

  EXPECT_EQ(find_voice(facts, "alloy"), "anna");
  EXPECT_EQ(find_voice(facts, ""), "anna");
  EXPECT_EQ(find_voice(facts, "nova"), "nova");
  EXPECT_EQ(find_voice(facts, "nobody"), std::nullopt);
}

TEST(SpeechAnswerTest, Base64IsThatOfTheStandard) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar\xff"), "Zm9vYmFy/w==");
}

TEST(SpeechAnswerTest, AnEmptyPartIsNotTheLastChunk) {
  EXPECT_EQ(streamed_part("", true), "");
  EXPECT_EQ(streamed_part("0123456789abcdef", true), "10\r\n0123456789abcdef\r\n");
}

}  // namespace
}  // namespace qanat
