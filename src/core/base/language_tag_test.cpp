#include "base/language_tag.h"

#include <string>

#include <gtest/gtest.h>

namespace qanat {
namespace {

struct NamedTag {
  std::string_view name;
  std::string_view tag;  // empty: refused
};

class LanguageTagTest : public testing::TestWithParam<NamedTag> {};

TEST_P(LanguageTagTest, IsReadInOneForm) {
  const std::optional<LanguageTag> tag = to_language_tag(GetParam().name);

  EXPECT_EQ(tag ? tag->text() : "", GetParam().tag);
}

INSTANTIATE_TEST_SUITE_P(Names,
                         LanguageTagTest,
                         testing::Values(NamedTag{"de", "de"},
                                         NamedTag{"DE_at", "de-AT"},
                                         NamedTag{"deu", "de"},
                                         NamedTag{"zh-hant-tw", "zh-Hant-TW"},
                                         NamedTag{"es-419", "es-419"},
                                         NamedTag{"en-gb-x-rp", "en"},
                                         NamedTag{"en-US", "en"},
                                         NamedTag{"English", "en"},
                                         NamedTag{"fa_IR", "fa"},
                                         NamedTag{"Farsi", "fa"},
                                         NamedTag{"per", "fa"},
                                         NamedTag{"vi-VN-x-south", "vi-VN-x-south"},
                                         NamedTag{"tlh", "tlh"},
                                         NamedTag{"", ""},
                                         NamedTag{"d", ""},
                                         NamedTag{"german", ""},
                                         NamedTag{"de-", ""},
                                         NamedTag{"de--AT", ""},
                                         NamedTag{"de-x", ""},
                                         NamedTag{"d\xC3\xA9", ""},
                                         NamedTag{"de AT", ""},
                                         NamedTag{"12", ""},
                                         NamedTag{"de-abcdefghi", ""}));

TEST(LanguageTagNumberTest, OfEnglishAndPersianIsThatOfTheEnumerator) {
  EXPECT_EQ(language_number(Language::en), 0U);
  EXPECT_EQ(language_number(Language::fa), 1U);
  EXPECT_GT(language_number(*to_language_tag("de")), 1U);
}

}  // namespace
}  // namespace qanat
