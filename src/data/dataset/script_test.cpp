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
  EXPECT_EQ(*script_of("Hello").language, Language::en);
  EXPECT_EQ(*script_of("سلام دنیا").language, Language::fa);
  EXPECT_EQ(*script_of("café — naïve").language, Language::en);
}

TEST(ScriptTest, AForeignWordDoesNotDecideTheLanguage) {
  EXPECT_EQ(*script_of("او یک iPhone خرید و رفت").language, Language::fa);
  EXPECT_EQ(*script_of("the Persian word سلام means peace").language, Language::en);
}

TEST(ScriptTest, PersianDigitsAndPunctuationAreNoLetters) {
  EXPECT_EQ(*script_of("۱۲۳، ٤٥٦؟ a").language, Language::en);
}

TEST(ScriptTest, ScriptsOfOneLanguageDecide) {
  EXPECT_EQ(script_of("Καλημέρα").language, to_language_tag("el"));
  EXPECT_EQ(script_of("안녕하세요").language, to_language_tag("ko"));
  EXPECT_EQ(script_of("漢字かな").language, to_language_tag("ja"));
  EXPECT_EQ(script_of("สวัสดี").language, to_language_tag("th"));
}

TEST(ScriptTest, ScriptsOfSeveralLanguagesDoNot) {
  EXPECT_EQ(script_of("Привет").language, std::nullopt);
  EXPECT_EQ(script_of("Привет").name, "Cyrillic");
  EXPECT_EQ(script_of("你好").language, std::nullopt);
  EXPECT_EQ(script_of("नमस्ते").language, std::nullopt);
}

TEST(ScriptTest, LettersOfOtherLanguagesAreFound) {
  EXPECT_EQ(foreign_letters("schöne Grüße", Language::en), U"öüß");
  EXPECT_EQ(foreign_letters("plain", Language::en), U"");
  EXPECT_EQ(foreign_letters("مدرسة", Language::fa), U"ة");
  EXPECT_EQ(foreign_letters("مدرسه كتاب علي", Language::fa), U"");
}

TEST(ScriptTest, PresentationFormsAreLetters) {
  EXPECT_EQ(*script_of("\xEF\xBA\x8D\xEF\xBB\x9F").language, Language::fa);
}

}  // namespace
}  // namespace qanat
