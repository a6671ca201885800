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

TEST(ChooseLanguageTest, NothingIsGuessed) {
  EXPECT_FALSE(choose_language("Guten Tag", {Language::en, tag("de")}));
  EXPECT_FALSE(choose_language("سلام", {Language::fa, tag("ur")}));
  EXPECT_FALSE(choose_language("Привет", {tag("ru"), tag("uk")}));
}

}  // namespace
}  // namespace qanat
