#include "speech/choose_language.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

LanguageTag tag(std::string_view name) {
  return to_language_tag(name).value();
}

TEST(ChooseLanguageTest, EnglishAndPersianAreTakenByTheirScript) {
  EXPECT_EQ(choose_language("Hello", {}), Language::en);
  EXPECT_EQ(choose_language("سلام", {Language::en, Language::fa}), Language::fa);
}

TEST(ChooseLanguageTest, AModelOfOneLanguageReadsThatOne) {
  EXPECT_EQ(choose_language("Guten Tag", {tag("de")}), tag("de"));
}

TEST(ChooseLanguageTest, AScriptOfOneOfTheLanguagesDecides) {
  EXPECT_EQ(choose_language("Καλημέρα", {tag("de"), tag("el")}), tag("el"));
  EXPECT_EQ(choose_language("سلام", {Language::fa, tag("de")}), Language::fa);
}

TEST(ChooseLanguageTest, AScriptOfManyLanguagesDecidesAmongThoseOfTheModel) {
  const std::vector<LanguageTag> trained = {tag("ru"), tag("de"), tag("el")};

  EXPECT_EQ(choose_language("Привет", trained), tag("ru"));
  EXPECT_EQ(choose_language("Guten Tag", trained), tag("de"));
  EXPECT_EQ(choose_language("你好", {tag("zh"), Language::en}), tag("zh"));
  EXPECT_FALSE(choose_language("नमस्ते", trained)) << "none is written so";
  EXPECT_FALSE(choose_language("12", trained)) << "no letter";
}

TEST(ChooseLanguageTest, NothingIsGuessed) {
  EXPECT_FALSE(choose_language("Guten Tag", {Language::en, tag("de")}));
  EXPECT_FALSE(choose_language("سلام", {Language::fa, tag("ur")}));
  EXPECT_FALSE(choose_language("Привет", {tag("ru"), tag("uk")}));
  EXPECT_FALSE(choose_language("日本", {tag("ja"), tag("zh")}));
  EXPECT_FALSE(choose_language("Мендвт", {tag("ru"), tag("xal")})) << "may be Kalmyk";
}

}  // namespace
}  // namespace qanat
