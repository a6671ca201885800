#include "text/phonemizer.h"

#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "text/fake_espeak.h"

namespace qanat {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Kind = PhonemeChunk::Kind;

TEST(PhonemizerTest, TextIsPartedAtMarksAndScripts) {
  EXPECT_THAT(split_for_phonemes("don't stop, google و می‌روم."),
              ElementsAre(PhonemeChunk{Kind::words, Language::en, "don't stop"},
                          PhonemeChunk{Kind::mark, Language::en, ", "},
                          PhonemeChunk{Kind::words, Language::en, "google"},
                          PhonemeChunk{Kind::mark, Language::en, " "},
                          PhonemeChunk{Kind::words, Language::fa, "و می‌روم"},
                          PhonemeChunk{Kind::mark, Language::en, "."}));
}

TEST(PhonemizerTest, LongTextIsPartedIntoLinesEspeakTakesWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "wordword ";
  }
  text += std::string(2000, 'a');
  std::string joined;

  for (const PhonemeChunk& chunk : split_for_phonemes(text)) {
    EXPECT_LE(chunk.text.size(), Espeak::kLongestLine);
    joined += chunk.text;
  }

  EXPECT_EQ(joined, text);
}

TEST(PhonemizerTest, MarksAndSpacesStayWhereTheyAre) {
  Phonemizer phonemizer(
      {.espeak_program = make_fake_espeak(make_test_folder(), kAnswersEveryLine)});

  EXPECT_EQ(phonemizer.phonemes("one two, \"three\"…").value(), "<one two>, \"<three>\"…");
}

TEST(PhonemizerTest, WhatIsKnownIsNotAskedAgain) {
  const std::filesystem::path folder = make_test_folder();
  const std::string log = (folder / "asked").string();
  Phonemizer phonemizer(
      {.espeak_program = make_fake_espeak(
           folder, "while read -r l; do echo \"$l\" | tee -a '" + log + "'; done")});

  ASSERT_TRUE(phonemizer.phonemes("hello, hello."));
  ASSERT_TRUE(phonemizer.phonemes("hello!"));

  const std::string asked = read_text_file(log).value();
  EXPECT_NE(asked.find("hello"), std::string::npos);
  EXPECT_EQ(asked.find("hello"), asked.rfind("hello"));
  EXPECT_EQ(phonemizer.cache().size(), 1U);
}

TEST(PhonemizerTest, ShaddaStandsBeforeItsVowelForTheProgram) {
  Phonemizer phonemizer(
      {.espeak_program = make_fake_espeak(make_test_folder(), kAnswersEveryLine)});

  EXPECT_EQ(phonemizer.phonemes("مدر\u0650\u0651س").value(), "<مدر\u0651\u0650س>");
}

TEST(PhonemizerTest, UnitsAreSpelledForTheProgram) {
  Phonemizer phonemizer(
      {.espeak_program = make_fake_espeak(make_test_folder(), kAnswersEveryLine)});

  EXPECT_EQ(
      phonemizer.phonemes("دو گیگابیت، میلی‌آمپر ساعت، میلی").value(),
      "<دو گیگا‌بیط>، <می‌لی‌آمپر ساعت>، <میلی>");
}

TEST(PhonemizerTest, TheVersionNamesTheSpelling) {
  const Phonemizer phonemizer(
      {.espeak_program = make_fake_espeak(make_test_folder(), kAnswersEveryLine)});

  EXPECT_EQ(phonemizer.version(), "fake 1.0 spelling 1");
}

TEST(PhonemizerTest, TheCacheFileSparesTheProgram) {
  const std::filesystem::path folder = make_test_folder();
  const std::filesystem::path file = folder / "phonemes.tsv";
  {
    Phonemizer first(
        {.espeak_program = make_fake_espeak(folder, kAnswersEveryLine), .cache_file = file});
    ASSERT_TRUE(first.phonemes("hello"));
  }
  Phonemizer second(
      {.espeak_program = make_fake_espeak(folder, kHangs), .timeout = 100ms, .cache_file = file});

  EXPECT_EQ(second.phonemes("hello").value(), "<hello>");
}

TEST(PhonemizerTest, AMissingProgramIsAnErrorThatSaysWhatToInstall) {
  try {
    Phonemizer phonemizer({.espeak_program = "no-such-espeak"});
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("apt install espeak-ng"));
  }
}

TEST(PhonemizerTest, AProgramThatKeepsHangingIsGivenUp) {
  const std::filesystem::path folder = make_test_folder();
  const std::string log = (folder / "starts").string();
  Phonemizer phonemizer(
      {.espeak_program = make_fake_espeak(folder, "echo x >> '" + log + "'; exec sleep 600"),
       .timeout = 200ms});
  Result<std::string> last = std::string();
  for (int i = 0; i < 10; ++i) {
    last = phonemizer.phonemes("hello");
  }

  ASSERT_FALSE(last);
  EXPECT_THAT(last.failure().what, testing::HasSubstr("not asked again"));
  EXPECT_LE(read_text_file(log).value().size(), 6U);  // two bytes a start
}

TEST(PhonemizerTest, ThreadsGetTheirOwnAnswers) {
  Phonemizer phonemizer(
      {.espeak_program = make_fake_espeak(make_test_folder(), kAnswersEveryLine)});
  std::latch start(4);
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (int i = 0; i < 50; ++i) {
        // Letters, as normalised text has no digits; some words shared by the threads.
        const std::string word = std::string(1 + static_cast<std::size_t>(i % 20), 'a') +
                                 static_cast<char>('a' + thread * (i % 2));
        EXPECT_EQ(phonemizer.phonemes(word + ", سلام").value(), "<" + word + ">, <سلام>");
      }
    });
  }
}

}  // namespace
}  // namespace qanat
