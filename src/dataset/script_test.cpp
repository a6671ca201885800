#include "dataset/script.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(ScriptTest, CharactersAreDescribedSoThatOneCanSeeThem) {
  EXPECT_EQ(describe_character("☃"), "☃ U+2603");
  EXPECT_EQ(describe_character("é"), "é U+00E9");
  EXPECT_EQ(describe_character("😀"), "😀 U+1F600");
  EXPECT_EQ(describe_character("\x1B"), "U+001B");
  EXPECT_EQ(describe_character("\u202E"), "U+202E");
  EXPECT_EQ(describe_character("\u0301"), "U+0301");
  EXPECT_EQ(describe_character(""), "nothing");
}

TEST(ScriptTest, GuessesTheLanguageByItsScript) {
  EXPECT_EQ(language_by_script("Hello"), Language::en);
  EXPECT_EQ(language_by_script("سلام دنیا"), Language::fa);
  EXPECT_EQ(language_by_script("café — naïve"), Language::en);
}

TEST(ScriptTest, AForeignWordDoesNotDecideTheLanguage) {
  EXPECT_EQ(language_by_script("او یک iPhone خرید و رفت"), Language::fa);
  EXPECT_EQ(language_by_script("the Persian word سلام means peace"), Language::en);
}

TEST(ScriptTest, PersianDigitsAndPunctuationAreNoLetters) {
  EXPECT_EQ(language_by_script("۱۲۳، ٤٥٦؟ a"), Language::en);
}

TEST(ScriptTest, PresentationFormsAreLetters) {
  EXPECT_EQ(language_by_script("\xEF\xBA\x8D\xEF\xBB\x9F"), Language::fa);
}

}  // namespace
}  // namespace qanat
