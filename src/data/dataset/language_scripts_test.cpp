#include "dataset/language_scripts.h"

#include <string_view>

#include <gtest/gtest.h>

#include "dataset/script.h"

namespace qanat {
namespace {

bool may_be(std::string_view tag, std::string_view text) {
  return may_be_written_in(to_language_tag(tag).value(), script_of(text).name);
}

TEST(LanguageScriptsTest, ALanguageIsWrittenInItsScripts) {
  EXPECT_TRUE(may_be("ru", "Привет"));
  EXPECT_FALSE(may_be("de", "Привет"));
  EXPECT_FALSE(may_be("ru", "Guten Tag"));
  EXPECT_TRUE(may_be("sr", "Здраво"));
  EXPECT_TRUE(may_be("sr", "Zdravo"));
  EXPECT_TRUE(may_be("ja", "日本語"));
  EXPECT_FALSE(may_be("zh", "こんにちは"));
}

TEST(LanguageScriptsTest, ATagMaySayInWhich) {
  EXPECT_FALSE(may_be("sr-Latn", "Здраво"));
  EXPECT_TRUE(may_be("sr-Cyrl", "Здраво"));
  EXPECT_TRUE(may_be("zh-Hant-TW", "你好"));
  EXPECT_FALSE(may_be("zh-Hant-TW", "Hello"));
}

TEST(LanguageScriptsTest, WhatIsNotKnownMayBeInAny) {
  EXPECT_TRUE(may_be("xal", "Мендвт"));
  EXPECT_TRUE(may_be("xal", "Hello"));
}

// A script that is called otherwise there would let every language pass.
TEST(LanguageScriptsTest, NoLanguageIsWrittenInEveryScript) {
  for (const std::string_view text :
       {"ا", "中", "か", "б", "क", "ক", "א", "α", "ա", "ა", "가", "ก", "ກ", "ក", "က",
        "அ", "అ",  "ಅ",  "അ", "අ", "અ", "ਅ", "ଅ", "አ", "ཀ", "Ꭰ",  "ހ", "ᠠ", "ܐ"}) {
    EXPECT_FALSE(may_be("de", text)) << text;
  }
  EXPECT_FALSE(may_be("ru", "a"));
}

}  // namespace
}  // namespace qanat
