#include "dataset/utf8.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

struct InvalidCase {
  std::string_view bytes;
  std::size_t position;
};

class InvalidUtf8Test : public testing::TestWithParam<InvalidCase> {};

TEST_P(InvalidUtf8Test, IsFoundAtItsPlace) {
  EXPECT_EQ(first_invalid_utf8(GetParam().bytes), GetParam().position);
}

INSTANTIATE_TEST_SUITE_P(Utf8,
                         InvalidUtf8Test,
                         testing::Values(InvalidCase{"caf\xE9", 3},           // Latin-1
                                         InvalidCase{"\x80", 0},              // continuation
                                         InvalidCase{"abcdefgh\xC0\xAF", 8},  // overlong '/'
                                         InvalidCase{"\xE0\x80\xAF", 0},      // overlong
                                         InvalidCase{"\xED\xA0\x80", 0},      // surrogate
                                         InvalidCase{"\xF4\x90\x80\x80", 0},  // above 10FFFF
                                         InvalidCase{"\xF5\x80\x80\x80", 0},
                                         InvalidCase{"ok \xD8", 3},  // cut short
                                         InvalidCase{"\xE2\x80", 0},
                                         InvalidCase{"\xE2\x80(", 0}));

TEST(Utf8Test, AcceptsEveryLengthOfSequence) {
  EXPECT_EQ(first_invalid_utf8("a\xC3\xA9\xE2\x80\x8C\xF0\x9F\x98\x80 سلام 0123456789"),
            std::nullopt);
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
}

TEST(Utf8Test, CountsCodePoints) {
  EXPECT_EQ(num_code_points("a\xC3\xA9\xF0\x9F\x98\x80"), 3U);
  EXPECT_EQ(num_code_points("سلام"), 4U);
}

TEST(Utf8Test, AnExcerptEndsBetweenCharacters) {
  EXPECT_EQ(excerpt("سلام دنیا", 4), "سلام…");
  EXPECT_EQ(excerpt("abc", 3), "abc");
  EXPECT_EQ(excerpt("", 3), "");
}

TEST(Utf8Test, CharactersAreDescribedSoThatOneCanSeeThem) {
  EXPECT_EQ(describe_character("☃"), "☃ U+2603");
  EXPECT_EQ(describe_character("é"), "é U+00E9");
  EXPECT_EQ(describe_character("😀"), "😀 U+1F600");
  EXPECT_EQ(describe_character("\x1B"), "U+001B");
  EXPECT_EQ(describe_character("\u202E"), "U+202E");
  EXPECT_EQ(describe_character("\u0301"), "U+0301");
  EXPECT_EQ(describe_character(""), "nothing");
}

TEST(Utf8Test, GuessesTheLanguageByItsScript) {
  EXPECT_EQ(language_by_script("Hello"), Language::en);
  EXPECT_EQ(language_by_script("سلام دنیا"), Language::fa);
  EXPECT_EQ(language_by_script("café — naïve"), Language::en);
}

TEST(Utf8Test, AForeignWordDoesNotDecideTheLanguage) {
  EXPECT_EQ(language_by_script("او یک iPhone خرید و رفت"), Language::fa);
  EXPECT_EQ(language_by_script("the Persian word سلام means peace"), Language::en);
}

TEST(Utf8Test, PersianDigitsAndPunctuationAreNoLetters) {
  EXPECT_EQ(language_by_script("۱۲۳، ٤٥٦؟ a"), Language::en);
}

TEST(Utf8Test, PresentationFormsAreLetters) {
  EXPECT_EQ(language_by_script("\xEF\xBA\x8D\xEF\xBB\x9F"), Language::fa);
}

}  // namespace
}  // namespace qanat
