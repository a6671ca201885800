#include "text/espeak.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/fake_espeak.h"

namespace qanat {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

using Lines = std::vector<std::string>;

TEST(EspeakTest, CleaningRemovesWhatIsNoPhoneme) {
  EXPECT_EQ(clean_phonemes("q1ˈalb man (en)həlˈəʊ(fa) ˈast"), "qˈalb man həlˈəʊ ˈast");
  EXPECT_EQ(clean_phonemes("  a   b "), "a b");
  EXPECT_EQ(clean_phonemes("(en"), "");
}

TEST(EspeakTest, VersionLeavesTheFolderOut) {
  const std::string program = make_fake_espeak(make_test_folder(), kHangs);

  EXPECT_EQ(read_espeak_version(program, 10s).value(), "fake 1.0");
}

TEST(EspeakTest, AnswersEachLine) {
  Espeak espeak(make_fake_espeak(make_test_folder(), kAnswersEveryLine), "en-us", 10s);

  EXPECT_THAT(espeak.phonemes(Lines{"one", "two"}).value(), ElementsAre("<one>", "<two>"));
  EXPECT_THAT(espeak.phonemes(Lines{"three"}).value(), ElementsAre("<three>"));
}

TEST(EspeakTest, AnswersMoreLinesThanAreAskedAtOnce) {
  Espeak espeak(make_fake_espeak(make_test_folder(), kAnswersEveryLine), "en-us", 10s);
  const Lines lines(100, "word");

  EXPECT_EQ(espeak.phonemes(lines).value(), Lines(100, "<word>"));
}

TEST(EspeakTest, LinesTheProgramBreaksUpStayWithTheirQuestion) {
  const std::string program = make_fake_espeak(make_test_folder(),
                                               "while read -r line; do case $line in long*) echo "
                                               "a; echo b;; *) echo \"$line\";; esac; done");
  Espeak espeak(program, "en-us", 10s);

  EXPECT_THAT(espeak.phonemes(Lines{"x", "long", "y", "long", "z"}).value(),
              ElementsAre("x", "a b", "y", "a b", "z"));
}

TEST(EspeakTest, TurnsToEnglishAreCounted) {
  Espeak espeak(
      make_fake_espeak(
          make_test_folder(),
          "while read -r l; do case $l in two*) echo \"(en)wn(ru) (en-us)tu:\";; *) echo \"<$l>\";; esac; done"),
      "ru",
      10s);

  const std::vector<EspeakAnswer> spoken = espeak.clauses(Lines{"one", "two"}).value();

  EXPECT_THAT(spoken[0].clauses, ElementsAre("<one>"));
  EXPECT_EQ(spoken[0].turns_to_english, 0);
  EXPECT_THAT(spoken[1].clauses, ElementsAre("wn tu:"));
  EXPECT_EQ(spoken[1].turns_to_english, 2);
}

TEST(EspeakTest, AProgramThatHangsIsAFailureInTime) {
  Espeak espeak(make_fake_espeak(make_test_folder(), kHangs), "en-us", 100ms);
  const Clock::time_point start = Clock::now();

  const auto answer = espeak.phonemes(Lines{"hello"});

  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.failure().what, testing::HasSubstr("no answer in time, asked for \"hello\""));
  EXPECT_LT(seconds_since(start), 5s);
}

TEST(EspeakTest, AProgramThatDiedIsStartedAgain) {
  const std::filesystem::path folder = make_test_folder();
  const std::string marker = (folder / "died").string();
  // The first life ends after one line, the second continues.
  const std::string program = make_fake_espeak(
      folder,
      "if [ ! -e '" + marker + "' ]; then touch '" + marker +
          "'; read -r line; echo \"$line\"; exit; fi; while read -r line; do echo \"$line\"; done");
  Espeak espeak(program, "en-us", 10s);

  EXPECT_FALSE(espeak.phonemes(Lines{"hello"}));
  EXPECT_THAT(espeak.phonemes(Lines{"hello"}).value(), ElementsAre("hello"));
}

}  // namespace
}  // namespace qanat
