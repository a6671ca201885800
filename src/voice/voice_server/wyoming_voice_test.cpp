#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "voice_server/voice_server.h"
#include "voice_server/voice_testing.h"
#include "voice_server/wyoming_event.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A client that says events and hears them.
class WyomingVoiceTest : public testing::Test {
 protected:
  WyomingVoiceTest()
      : server_({.wyoming = ListeningPlace{}, .limits = {.characters = 100}}, engine_),
        fd_(connect_to(*server_.wyoming_port())) {}

  void say(const WyomingEvent& event) { send_text(fd_, to_bytes(event)); }

  std::optional<WyomingEvent> hear() {
    for (;;) {
      WyomingParse parse = parse_wyoming_event(heard_);
      if (parse.state == WyomingParse::State::complete) {
        heard_.erase(0, parse.bytes);
        return std::move(parse.event);
      }
      std::array<char, 4096> bytes{};
      const ssize_t got = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
      if (got <= 0) {
        return std::nullopt;
      }
      heard_.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

  std::vector<std::string> hear_types(std::size_t count) {
    std::vector<std::string> types;
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<WyomingEvent> event = hear();
      types.push_back(event ? event->type : "gone");
    }
    return types;
  }

  WordEngine engine_;
  VoiceServer server_;
  UniqueFd fd_;
  std::string heard_;
};

TEST_F(WyomingVoiceTest, DescribesItself) {
  say({.type = "describe"});

  const std::optional<WyomingEvent> info = hear();

  ASSERT_TRUE(info);
  EXPECT_EQ(info->type, "info");
  EXPECT_EQ(info->data["tts"][0]["voices"][0]["name"], "anna");
  EXPECT_EQ(info->data["tts"][0]["supports_synthesize_streaming"], true);
}

TEST_F(WyomingVoiceTest, SpeaksAText) {
  say({.type = "synthesize", .data = {{"text", "one two"}, {"voice", {{"name", "anna"}}}}});

  const std::optional<WyomingEvent> start = hear();

  ASSERT_TRUE(start);
  EXPECT_EQ(start->type, "audio-start");
  EXPECT_EQ(start->data["rate"], 22050);
  const std::optional<WyomingEvent> chunk = hear();
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->payload.size(), 2 * 2205U);
  EXPECT_THAT(hear_types(2), ElementsAre("audio-chunk", "audio-stop"));
}

TEST_F(WyomingVoiceTest, SpeaksWhileTheTextIsWritten) {
  say({.type = "synthesize-start", .data = {{"voice", {{"name", "anna"}}}}});
  say({.type = "synthesize-chunk", .data = {{"text", "First sentence. Then"}}});

  EXPECT_THAT(hear_types(3), ElementsAre("audio-start", "audio-chunk", "audio-chunk"));
  say({.type = "synthesize-chunk", .data = {{"text", " more"}}});
  say({.type = "synthesize", .data = {{"text", "First sentence. Then more"}}});
  say({.type = "synthesize-stop"});
  EXPECT_THAT(hear_types(4),
              ElementsAre("audio-chunk", "audio-chunk", "audio-stop", "synthesize-stopped"));
  EXPECT_THAT(engine_.spoken(), ElementsAre("First", "sentence.", "Then", "more"));
}

TEST_F(WyomingVoiceTest, RequestsOfOneClientComeOneAfterTheOther) {
  say({.type = "synthesize", .data = {{"text", "one"}}});
  say({.type = "synthesize", .data = {{"text", "two"}}});

  EXPECT_THAT(
      hear_types(6),
      ElementsAre(
          "audio-start", "audio-chunk", "audio-stop", "audio-start", "audio-chunk", "audio-stop"));
}

TEST_F(WyomingVoiceTest, AnswersAPing) {
  say({.type = "ping", .data = {{"text", "x"}}});

  const std::optional<WyomingEvent> pong = hear();

  ASSERT_TRUE(pong);
  EXPECT_EQ(pong->type, "pong");
  EXPECT_EQ(pong->text("text"), "x");
}

TEST_F(WyomingVoiceTest, SaysWhatIsWrong) {
  say({.type = "synthesize", .data = {{"text", "one"}, {"voice", {{"name", "nobody"}}}}});
  const std::optional<WyomingEvent> voice = hear();
  say({.type = "synthesize", .data = {{"text", "unreadable"}}});
  const std::optional<WyomingEvent> text = hear();
  say({.type = "synthesize", .data = {{"text", std::string(101, 'x')}}});
  const std::optional<WyomingEvent> length = hear();

  ASSERT_TRUE(voice && text && length);
  EXPECT_THAT(voice->text("text"), HasSubstr("nobody is not known"));
  EXPECT_THAT(text->text("text"), HasSubstr("nothing to say"));
  EXPECT_THAT(length->text("text"), HasSubstr("expected at most 100"));
}

TEST_F(WyomingVoiceTest, WhatIsNoEventEndsTheConnection) {
  send_text(fd_, "GET / HTTP/1.1\r\n");

  EXPECT_THAT(hear_types(2), ElementsAre("error", "gone"));
}

TEST_F(WyomingVoiceTest, AStreamThatIsTooLongIsEnded) {
  say({.type = "synthesize-start"});
  say({.type = "synthesize-chunk", .data = {{"text", std::string(101, 'x')}}});

  EXPECT_THAT(hear_types(2), ElementsAre("error", "synthesize-stopped"));
}

}  // namespace
}  // namespace qanat
