#include "text/script_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;

TEST(ScriptRunsTest, OneLanguageIsOneRun) {
  const std::u32string_view text = U"It is 5 km, he said.";

  EXPECT_THAT(split_scripts(text, Language::en), ElementsAre(ScriptRun{text, Language::en}));
}

TEST(ScriptRunsTest, EmptyTextHasNoRuns) {
  EXPECT_TRUE(split_scripts(U"", Language::fa).empty());
}

TEST(ScriptRunsTest, NumberBehindEnglishWordsBelongsToThePersianSentence) {
  EXPECT_THAT(split_scripts(U"گوشی iPhone 12 است", Language::fa),
              ElementsAre(ScriptRun{U"گوشی ", Language::fa},
                          ScriptRun{U"iPhone", Language::en},
                          ScriptRun{U" 12 است", Language::fa}));
}

TEST(ScriptRunsTest, DigitsInsideOrGluedToEnglishStayWithIt) {
  EXPECT_THAT(split_scripts(U"با Windows 10 Pro و mp3 و 3D", Language::fa),
              ElementsAre(ScriptRun{U"با ", Language::fa},
                          ScriptRun{U"Windows 10 Pro", Language::en},
                          ScriptRun{U" و ", Language::fa},
                          ScriptRun{U"mp3", Language::en},
                          ScriptRun{U" و ", Language::fa},
                          ScriptRun{U"3D", Language::en}));
}

TEST(ScriptRunsTest, UnitSignsBehindNumbersAreReadInPersian) {
  const std::u32string_view text = U"۵ km و 50GB و ۲۰°C";

  EXPECT_THAT(split_scripts(text, Language::fa), ElementsAre(ScriptRun{text, Language::fa}));
}

TEST(ScriptRunsTest, PunctuationBetweenEnglishWordsIsPersian) {
  EXPECT_THAT(split_scripts(U"Google، Apple", Language::fa),
              ElementsAre(ScriptRun{U"Google", Language::en},
                          ScriptRun{U"، ", Language::fa},
                          ScriptRun{U"Apple", Language::en}));
}

TEST(ScriptRunsTest, PersianDigitsGoWithPersianWordsInEnglishText) {
  EXPECT_THAT(split_scripts(U"in سال ۱۳۵۷ here", Language::en),
              ElementsAre(ScriptRun{U"in ", Language::en},
                          ScriptRun{U"سال ۱۳۵۷", Language::fa},
                          ScriptRun{U" here", Language::en}));
}

}  // namespace
}  // namespace qanat
