#include "text/own_front_end.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "text/fake_espeak.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// sed -u writes each line out at once.
constexpr std::string_view kReverses = "exec sed -u 's/a/A/g; s/^$/ /'";

OwnFrontEndConfig config_of(std::string_view command) {
  return {.command = std::string(command), .first_timeout = Seconds{2.0}, .timeout = Seconds{0.5}};
}

Result<std::vector<std::string>> ask(std::string_view command,
                                     const std::vector<std::string>& lines) {
  OwnFrontEnd front_end(config_of(command));
  return front_end.answers(lines, Language::en);
}

TEST(OwnFrontEndTest, AnswersLineByLine) {
  EXPECT_THAT(ask(kReverses, {"banana", "  two   words "}).value(),
              ElementsAre("bAnAnA", "two words"));
}

TEST(OwnFrontEndTest, IsToldTheLanguage) {
  OwnFrontEnd front_end(config_of("while read -r line; do echo \"$QANAT_LANGUAGE:$line\"; done"));
  const std::vector<std::string> lines = {"ja"};

  EXPECT_THAT(front_end.answers(lines, *to_language_tag("de-AT")).value(), ElementsAre("de-AT:ja"));
  EXPECT_THAT(front_end.answers(lines, *to_language_tag("fr")).value(), ElementsAre("fr:ja"));
}

TEST(OwnFrontEndTest, IsStartedOncePerLanguage) {
  const std::filesystem::path log = make_test_folder() / "starts";
  OwnFrontEnd front_end(
      config_of("echo start >> '" + log.string() + "'; " + std::string(kReverses)));
  const std::vector<std::string> lines = {"one"};
  ASSERT_TRUE(front_end.answers(lines, Language::en));
  ASSERT_TRUE(front_end.answers(lines, Language::en));
  ASSERT_TRUE(front_end.probe(Language::en));

  EXPECT_EQ(read_text_file(log).value(), "start\n");
}

struct Fault {
  std::string_view name;
  std::string_view command;
  std::string_view said;
};

class OwnFrontEndFaultTest : public testing::TestWithParam<Fault> {};

TEST_P(OwnFrontEndFaultTest, IsAClearErrorInBoundedTime) {
  const Clock::time_point begin = Clock::now();
  std::string what;
  try {
    const Result<std::vector<std::string>> answers = ask(GetParam().command, {"one", "two"});
    ASSERT_FALSE(answers);
    what = answers.failure().what;
  } catch (const Error& error) {
    what = error.what();
  }

  EXPECT_THAT(what, HasSubstr(GetParam().said));
  EXPECT_LT(seconds_since(begin).count(), 20.0);
}

INSTANTIATE_TEST_SUITE_P(
    Commands,
    OwnFrontEndFaultTest,
    testing::Values(
        Fault{"hangs", "exec sleep 600", "--g2p exec sleep 600"},
        Fault{"hangs_later",
              "for i in 1 2 3 4 5 6 7 8 9 10; do read -r l; echo \"x$l\"; done; exec sleep 600",
              "asked for \"one\""},
        Fault{"dies", "exit 3", "ended"},
        Fault{"dies_later", "exec sed -u '11q'", "asked for"},
        Fault{"is_no_command", "/no/such/program", "ended"},
        Fault{"half_a_line", "printf 'abc'; exec sleep 600", "asked for"},
        Fault{"half_a_line_then_dies", "printf 'abc'", "ended"},
        Fault{"not_utf8", "while read -r l; do printf '\\377\\n'; done", "not UTF-8"},
        Fault{"two_lines", "while read -r l; do printf 'a\\nb\\n'; done", "--g2p"},
        Fault{"other_answers",
              "n=0; while read -r l; do n=$((n+1)); echo \"$l $n\"; done",
              "another answer"}),
    [](const testing::TestParamInfo<Fault>& one) { return std::string(one.param.name); });

TEST(OwnFrontEndTest, IsNotAskedAgainAfterThreeFailures) {
  OwnFrontEnd front_end(
      config_of("while read -r l; do [ \"$l\" = one ] && exit 3; echo \"<$l>\"; done"));
  const std::vector<std::string> lines = {"one"};
  for (int i = 0; i < 3; ++i) {
    ASSERT_FALSE(front_end.answers(lines, Language::en));
  }

  EXPECT_THAT(front_end.answers(lines, Language::en).failure().what, HasSubstr("not asked again"));
}

TEST(OwnFrontEndTest, ACommandThatHasNeverAnsweredIsNotWaitedForAgain) {
  OwnFrontEnd front_end(config_of("exec cat > /dev/null"));
  ASSERT_FALSE(front_end.probe(Language::en));
  const Clock::time_point begin = Clock::now();

  const Result<std::uint64_t> again = front_end.probe(Language::en);

  ASSERT_FALSE(again);
  EXPECT_THAT(again.failure().what, HasSubstr("no answer in time"));
  EXPECT_LT(seconds_since(begin).count(), 1.0);
}

TEST(OwnFrontEndTest, TheHashIsThatOfTheAnswers) {
  OwnFrontEnd one(config_of(kReverses));
  OwnFrontEnd same(config_of("sed -u 's/a/A/g; s/^$/ /'"));
  OwnFrontEnd other(config_of("sed -u 's/a/E/g'"));

  EXPECT_EQ(one.probe(Language::en).value(), same.probe(Language::en).value());
  EXPECT_NE(one.probe(Language::en).value(), other.probe(Language::en).value());
}

}  // namespace
}  // namespace qanat
