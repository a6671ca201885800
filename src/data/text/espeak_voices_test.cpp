#include "text/espeak_voices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::HasSubstr;

Result<std::string> voice(std::string_view tag) {
  return find_espeak_voice(*to_language_tag(tag),
                           {"de", "fr-be", "fr-fr", "pt", "pt-br", "cmn", "nb"});
}

TEST(EspeakVoicesTest, TheTagItselfThenTheLanguage) {
  EXPECT_EQ(voice("pt-BR").value(), "pt-br");
  EXPECT_EQ(voice("pt-PT").value(), "pt");
  EXPECT_EQ(voice("fr").value(), "fr");
}

TEST(EspeakVoicesTest, OtherNamesOfTheSame) {
  EXPECT_EQ(voice("zh-Hans").value(), "cmn");
  EXPECT_EQ(voice("no").value(), "nb");
}

TEST(EspeakVoicesTest, ALanguageThatIsNotThereGetsTheList) {
  const Result<std::string> none = voice("tlh");

  ASSERT_FALSE(none);
  EXPECT_THAT(none.failure().what, HasSubstr("tlh"));
  EXPECT_THAT(none.failure().what, HasSubstr("fr-be, fr-fr, pt"));
}

}  // namespace
}  // namespace qanat
