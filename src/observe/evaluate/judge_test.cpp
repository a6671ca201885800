#include "evaluate/judge.h"

#include <stop_token>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

std::string said_by(const std::string& command, Seconds timeout = Seconds(20)) {
  try {
    Judge judge({.command = command, .timeout = timeout}, JudgeTask::quality);
    const Result<JudgeAnswer> answer = judge.ask({.audio = "a.wav"});
    return answer ? "answered" : answer.failure().what;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(JudgeProtocolTest, ARequestIsOneLineWithAbsolutePaths) {
  const Result<std::string> line = to_line({.id = 7,
                                            .task = JudgeTask::similarity,
                                            .audio = "/clips/a \"b\".wav",
                                            .reference = "/recordings/../a.wav"});

  EXPECT_EQ(line.value(),
            R"({"id":7,"task":"similarity","audio":"/clips/a \"b\".wav","reference":"/a.wav"})");
}

TEST(JudgeProtocolTest, ATranscriptIsAskedForInItsLanguage) {
  const Result<std::string> line = to_line(
      {.id = 1, .task = JudgeTask::transcribe, .audio = "/a.wav", .language = Language::fa});

  EXPECT_EQ(line.value(), R"({"id":1,"task":"transcribe","audio":"/a.wav","language":"fa"})");
}

TEST(JudgeProtocolTest, APathThatIsNotUtf8IsAFailure) {
  EXPECT_FALSE(to_line({.id = 1, .task = JudgeTask::quality, .audio = "/\xFF.wav"}));
}

TEST(JudgeProtocolTest, AnswersHaveTheFieldOfTheirTask) {
  EXPECT_EQ(parse_answer(R"({"id": 3, "text": "سلام"})", JudgeTask::transcribe).value().text,
            "سلام");
  EXPECT_EQ(
      parse_answer(R"({"value": 3.5, "id": 3, "more": []})", JudgeTask::quality).value().value,
      3.5);
  EXPECT_EQ(parse_answer(R"({"id": 3, "error": "too short"})", JudgeTask::quality).value().error,
            "too short");
}

class BadAnswerTest : public testing::TestWithParam<const char*> {};

TEST_P(BadAnswerTest, IsAFailureThatShowsTheAnswer) {
  const Result<JudgeAnswer> answer = parse_answer(GetParam(), JudgeTask::quality);

  ASSERT_FALSE(answer);
  EXPECT_NE(answer.failure().what.find("answer"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Lines,
                         BadAnswerTest,
                         testing::Values("",
                                         "3.5",
                                         "[1]",
                                         "{",
                                         "Loading model ...",
                                         R"({"value": 3.5})",
                                         R"({"id": "1", "value": 3.5})",
                                         R"({"id": 1, "value": "3.5"})",
                                         R"({"id": 1, "value": null})",
                                         R"({"id": 1, "text": "a"})",
                                         R"({"id": 1, "value": 1e999})",
                                         "{\"id\": 1, \"value\": \xFF}"));

TEST(JudgeTest, AsksAndHears) {
  EXPECT_EQ(said_by(R"(while read line; do echo '{"id": 1, "value": 4}'; done)"), "answered");
}

TEST(JudgeTest, ASlowAnswerIsHeard) {
  EXPECT_EQ(said_by(R"(read line; sleep 0.5; echo '{"id": 1, "value": 4}')"), "answered");
}

TEST(JudgeTest, ACommandThatEndsIsAnErrorThatNamesIt) {
  EXPECT_EQ(said_by("exit 3"), "exit 3: the command failed: the program ended without an answer");
}

TEST(JudgeTest, ACommandThatIsNotThereIsAnError) {
  EXPECT_NE(said_by("no-such-program-here").find("no-such-program-here: the command failed"),
            std::string::npos);
}

TEST(JudgeTest, NonsenseIsAnErrorThatShowsIt) {
  EXPECT_EQ(said_by("read line; echo hello"),
            "read line; echo hello: the command failed: the answer is not a JSON object: hello");
}

TEST(JudgeTest, AnAnswerToAnotherRequestIsAnError) {
  EXPECT_NE(said_by(R"(read line; echo '{"id": 9, "value": 4}')")
                .find("the answer is for request 9; expected 1"),
            std::string::npos);
}

TEST(JudgeTest, ACommandThatDoesNotAnswerIsLeftAtItsTimeout) {
  EXPECT_EQ(said_by("sleep 600", Seconds(0.05)),
            "sleep 600: the command failed: no answer in time");
}

TEST(JudgeTest, AStopEndsTheWait) {
  std::stop_source stop;
  Judge judge({.command = "sleep 600"}, JudgeTask::quality, stop.get_token());
  stop.request_stop();

  EXPECT_FALSE(judge.ask({.audio = "a.wav"}));
}

TEST(JudgeTest, AClipTheCommandRefusesIsAFailureOfThatClip) {
  EXPECT_EQ(said_by(R"(read line; echo '{"id": 1, "error": "no speech"}')"),
            "the command says: no speech");
}

}  // namespace
}  // namespace qanat
