#include "text/any_language.h"

#include <algorithm>
#include <ctime>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LanguageTag tag(std::string_view name) {
  return to_language_tag(name).value();
}

struct Written {
  std::string_view language;
  std::string_view text;
  std::string_view normalised;
};

class AnyLanguageTest : public testing::TestWithParam<Written> {};

TEST_P(AnyLanguageTest, LettersAreKeptInOneForm) {
  const Result<std::string> text = normalise_any(GetParam().text, tag(GetParam().language));

  ASSERT_TRUE(text) << text.failure().what;
  EXPECT_EQ(text.value(), GetParam().normalised);
  EXPECT_EQ(normalise_any(text.value(), tag(GetParam().language)).value(), text.value());
}

INSTANTIATE_TEST_SUITE_P(
    Scripts,
    AnyLanguageTest,
    testing::Values(Written{"de", "Schöne  Grüße,\tÄnne!", "schöne grüße, änne!"},
                    Written{"de", "Scho\u0308n", "schön"},
                    Written{"ru", "Привет, «мир»…", "привет, \"мир\"…"},
                    Written{"el", "Τι κάνεις;", "τι κάνεις?"},
                    Written{"zh", "你好，世界。", "你好,世界."},
                    Written{"ja", "「こんにちは」！", "\"こんにちは\"!"},
                    Written{"hi", "नमस्ते दुनिया।", "नमस्ते दुनिया."},
                    Written{"ko", "안녕하세요?", "안녕하세요?"},
                    Written{"ar", "مرحبـــا بالعالم، كيف؟", "مرحبا بالعالم, كيف?"},
                    Written{"tr", "IŞIK İzmir", "ışık izmir"},
                    Written{"fr", "L\u2019été – où\u00A0?", "l'été — où ?"},
                    Written{"ca", "col·lecció", "col·lecció"},
                    Written{"es", "¿Qué tal?", "¿qué tal?"},
                    Written{"he", "בית־ספר", "בית-ספר"},
                    Written{"ml", "കണ്\u200Dമണി\u200D", "കണ്\u200Dമണി"}));

TEST(AnyLanguageSignsTest, DigitsAndSignsAreAnErrorThatSaysHowToGoOn) {
  const Result<std::string> text = normalise_any("Es kostet 12 € oder 3%.", tag("de"));

  ASSERT_FALSE(text);
  EXPECT_THAT(text.failure().what, HasSubstr("12"));
  EXPECT_THAT(text.failure().what, HasSubstr("€"));
  EXPECT_THAT(text.failure().what, HasSubstr("--use-phonemes"));
  EXPECT_THAT(text.failure().what, HasSubstr("--g2p"));
}

TEST(AnyLanguageSignsTest, DigitsOfEveryScriptAreDigits) {
  EXPECT_FALSE(normalise_any("१२ किताबें", tag("hi")));
  EXPECT_FALSE(normalise_any("Ⅻ век", tag("ru")));
  EXPECT_FALSE(normalise_any("½ литра", tag("ru")));
}

TEST(AnyLanguageSignsTest, PicturesAndBrokenBytesAreSigns) {
  EXPECT_FALSE(normalise_any("привет 😀", tag("ru")));
  EXPECT_FALSE(normalise_any("привет \xFF", tag("ru")));
}

TEST(AnyLanguageMarksTest, MoreMarksThanAnyScriptWritesAreRefused) {
  std::string text = "a";
  for (int i = 0; i < 40; ++i) {
    text += "\u0301";
  }

  EXPECT_FALSE(tidy_line(text));
}

// Texts of which a part that is gone through again for each character would be noticed.
TEST(AnyLanguageTimeTest, GrowsWithTheLengthOfTheText) {
  const auto seconds = [](std::string_view part, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) {
      text += part;
    }
    const std::clock_t begin = std::clock();
    static_cast<void>(normalise_any(text, tag("ru")).ok());
    static_cast<void>(tidy_line(text).ok());
    static_cast<void>(split_words(text, tag("ru")).size());
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  for (const std::string_view part : {"я",
                                      "я ",
                                      "1",
                                      "1 ",
                                      "e\u0301",
                                      "\u0301",
                                      "\u200D",
                                      "क्\u200D",
                                      "你",
                                      "\xFF",
                                      "😀👍🏽"}) {
    const double of_few = seconds(part, 1 << 15);
    EXPECT_LT(seconds(part, 1 << 19), 16 * 8 * std::max(of_few, 0.001)) << part;
  }
}

TEST(TidyLineTest, DigitsSignsAndCapitalsStay) {
  EXPECT_EQ(tidy_line(" Es kostet\n12 €\u200B! ").value(), "Es kostet 12 €!");
}

TEST(SplitWordsTest, ScriptsWithoutSpacesGiveALetterEach) {
  EXPECT_THAT(split_words("Schöne Grüße, l'Été!", tag("de")),
              ElementsAre("schöne", "grüße", "l'été"));
  EXPECT_THAT(split_words("你好，世界 12", tag("zh")), ElementsAre("你", "好", "世", "界", "12"));
}

}  // namespace
}  // namespace qanat
