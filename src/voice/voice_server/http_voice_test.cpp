#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "voice_server/voice_server.h"
#include "voice_server/voice_testing.h"

namespace qanat {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

nlohmann::json body_of(const std::string& answer) {
  return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
}

TEST(HttpVoiceTest, SpeaksInChunksThatEnd) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  const std::string answer = ask_speech(
      server.port(), R"({"input":"one two three","voice":"anna","response_format":"wav"})");

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: audio/wav\r\n"));
  const std::optional<std::string> sound = unchunked(answer);
  ASSERT_TRUE(sound);
  EXPECT_THAT(*sound, StartsWith("RIFF"));
  EXPECT_EQ(sound->size(), 44U + 3 * 2 * 2205);
}

TEST(HttpVoiceTest, RawSamplesHaveTheRateThatReadersAssume) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  const std::optional<std::string> sound = unchunked(
      ask_speech(server.port(), R"({"input":"a b c d e f g h i j","response_format":"pcm"})"));

  ASSERT_TRUE(sound);
  EXPECT_NEAR(static_cast<double>(sound->size()), 2 * 24000.0, 8);  // a second
}

TEST(HttpVoiceTest, AVoiceMayBeAnObject) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  EXPECT_THAT(ask_speech(server.port(), R"({"input":"one","voice":{"id":"بهار"}})"),
              StartsWith("HTTP/1.1 200"));
}

TEST(HttpVoiceTest, EventsCarrySoundAndAnEnd) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  const std::string answer = ask_speech(
      server.port(), R"({"input":"one two","response_format":"pcm","stream_format":"sse"})");

  EXPECT_THAT(answer, HasSubstr("Content-Type: text/event-stream\r\n"));
  const std::optional<std::string> events = unchunked(answer);
  ASSERT_TRUE(events);
  EXPECT_THAT(*events, StartsWith("data: {\"type\":\"speech.audio.delta\",\"audio\":\""));
  EXPECT_THAT(*events, HasSubstr("\"type\":\"speech.audio.done\""));
  EXPECT_THAT(*events, EndsWith("data: [DONE]\n\n"));
}

struct RefusedAsk {
  const char* json;
  const char* reason;
};
class HttpVoiceRefusalTest : public testing::TestWithParam<RefusedAsk> {};

TEST_P(HttpVoiceRefusalTest, SaysWhy) {
  const WordEngine engine;
  const VoiceServer server({.limits = {.characters = 20}}, engine);

  const std::string answer = ask_speech(server.port(), GetParam().json);

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(body_of(answer)["error"]["message"].get<std::string>(), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    HttpVoiceRefusalTest,
    testing::Values(RefusedAsk{"", "not a JSON object"},
                    RefusedAsk{"[1]", "not a JSON object"},
                    RefusedAsk{R"({"voice":"anna"})", "input: no text"},
                    RefusedAsk{R"({"input":"  "})", "input: no text"},
                    RefusedAsk{R"({"input":7})", "input: no text"},
                    RefusedAsk{R"({"input":"more than twenty characters"})", "expected at most 20"},
                    RefusedAsk{R"({"input":"a","voice":"nobody"})", "nobody is not known"},
                    RefusedAsk{R"({"input":"a","voice":5})", "expected a name"},
                    RefusedAsk{R"({"input":"a","response_format":"aac"})", "aac cannot be encoded"},
                    RefusedAsk{R"({"input":"a","response_format":"doc"})", "doc; expected mp3"},
                    RefusedAsk{R"({"input":"a","stream_format":"x"})", "expected audio or sse"},
                    RefusedAsk{R"({"input":"a","speed":9})", "from 0.25 to 4"},
                    RefusedAsk{R"({"input":"unreadable"})", "nothing to say"}));

TEST(HttpVoiceTest, ErrorsAreSaidInPersianToWhoAsksForIt) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  EXPECT_THAT(ask_speech(server.port(), "{}", "Accept-Language: fa\r\n"), HasSubstr("متنی ندارد"));
}

TEST(HttpVoiceTest, AFailureAfterTheFirstSoundCutsTheAnswer) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  const std::string answer =
      ask_speech(server.port(), R"({"input":"one fail","response_format":"wav"})");

  EXPECT_FALSE(unchunked(answer));
}

TEST(HttpVoiceTest, ListsVoicesAndModelsAsClientsAskForThem) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  for (const char* path : {"/v1/audio/voices", "/audio/voices"}) {
    EXPECT_EQ(body_of(ask(server.port(), path))["voices"][1]["id"], "بهار");
  }
  EXPECT_EQ(body_of(ask(server.port(), "/audio/models"))["models"][0]["id"], "words");
  EXPECT_EQ(body_of(ask(server.port(), "/v1/models"))["data"][0]["id"], "words");
  EXPECT_EQ(body_of(ask(server.port(), "/v1/models/words"))["object"], "model");
  EXPECT_EQ(body_of(ask(server.port(), "/health"))["status"], "ok");
}

TEST(HttpVoiceTest, CountsForPrometheus) {
  const WordEngine engine;
  const VoiceServer server({}, engine);
  (void)ask_speech(server.port(), R"({"input":"one"})");
  (void)ask_speech(server.port(), "{}");

  const std::string metrics = ask(server.port(), "/metrics");

  EXPECT_THAT(metrics,
              HasSubstr("qanat_voice_requests_total{protocol=\"http\",outcome=\"spoken\"} 1"));
  EXPECT_THAT(metrics,
              HasSubstr("qanat_voice_requests_total{protocol=\"http\",outcome=\"refused\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("qanat_voice_first_audio_seconds_count 1"));
}

TEST(HttpVoiceTest, AnotherAddressNeedsAToken) {
  const WordEngine engine;

  EXPECT_THROW(VoiceServer({.http = {.address = "0.0.0.0"}}, engine), Error);
}

TEST(HttpVoiceTest, WithATokenOthersAreRefused) {
  const WordEngine engine;
  const VoiceServer server({.token = "secret"}, engine);
  const std::string json = R"({"input":"one"})";

  EXPECT_THAT(ask_speech(server.port(), json), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask_speech(server.port(), json, "Authorization: Bearer other\r\n"),
              StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask_speech(server.port(), json, "Authorization: Bearer secret\r\n"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(server.port(), "/v1/audio/voices"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask(server.port(), "/health"), StartsWith("HTTP/1.1 200"));
}

TEST(HttpVoiceTest, PagesOfOtherSitesAreRefused) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  EXPECT_THAT(ask(server.port(), "/", "evil.example"), StartsWith("HTTP/1.1 421"));
  EXPECT_THAT(ask_speech(server.port(), R"({"input":"one"})", "Origin: http://evil.example\r\n"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_TRUE(engine.spoken().empty());
}

TEST(HttpVoiceTest, ThePageComesInBothLanguages) {
  const WordEngine engine;
  const VoiceServer server({}, engine);

  EXPECT_THAT(ask(server.port(), "/"), HasSubstr("<html lang=\"en\" dir=\"ltr\">"));
  EXPECT_THAT(ask(server.port(), "/?lang=fa"), HasSubstr("<html lang=\"fa\" dir=\"rtl\">"));
  EXPECT_THAT(ask(server.port(), "/voice.js"), HasSubstr("v1/audio/speech"));
}

TEST(HttpVoiceTest, AClientThatWaitsToSendItsBodyIsToldToGoOn) {
  const WordEngine engine;
  const VoiceServer server({}, engine);
  const std::string json = R"({"input":"one"})";
  const UniqueFd fd = connect_to(server.port());

  send_text(fd,
            fmt::format("POST /v1/audio/speech HTTP/1.1\r\nHost: localhost:{}\r\n"
                        "Expect: 100-continue\r\nContent-Length: {}\r\n\r\n",
                        server.port(),
                        json.size()));

  EXPECT_THAT(receive_until(fd, "\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue"));
  send_text(fd, json);
  EXPECT_THAT(receive_until(fd, ""), StartsWith("HTTP/1.1 200"));
}

TEST(HttpVoiceTest, OldClientsGetNoChunks) {
  const WordEngine engine;
  const VoiceServer server({}, engine);
  const std::string json = R"({"input":"one","response_format":"wav"})";
  const UniqueFd fd = connect_to(server.port());

  send_text(fd,
            fmt::format("POST /v1/audio/speech HTTP/1.0\r\nHost: localhost:{}\r\n"
                        "Content-Length: {}\r\n\r\n{}",
                        server.port(),
                        json.size(),
                        json));

  const std::string answer = receive_until(fd, "");
  EXPECT_THAT(answer, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, 44U + 2 * 2205);
}

TEST(HttpVoiceTest, ATooLongBodyIsRefused) {
  const WordEngine engine;
  const VoiceServer server({}, engine);
  const UniqueFd fd = connect_to(server.port());

  send_text(fd, "POST /v1/audio/speech HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n");

  EXPECT_THAT(receive_until(fd, ""), StartsWith("HTTP/1.1 413"));
}

TEST(HttpVoiceTest, WhoDoesNotFinishItsRequestIsDropped) {
  const WordEngine engine;
  const VoiceServer server({.limits = {.request = Seconds(0.05)}}, engine);
  const UniqueFd fd = connect_to(server.port());

  send_text(fd, "POST /v1/audio/speech HTTP/1.1\r\n");

  EXPECT_EQ(receive_until(fd, ""), "");
  EXPECT_THAT(server.metrics_text(), HasSubstr("qanat_voice_clients_unfinished_total 1"));
}

}  // namespace
}  // namespace qanat
