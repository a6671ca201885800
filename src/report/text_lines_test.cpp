#include "report/text_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

const Words kPersianLines(Language::fa);

TEST(TextLinesTest, EnglishStaysAsItIs) {
  const std::string text = "VERDICT  x\n\n  mean   1.5 ms";

  EXPECT_EQ(translated_lines(text, Words()), text);
}

TEST(TextLinesTest, CellsAreSaidOneByOneAndKeepTheirPlaces) {
  EXPECT_EQ(translated_lines("  wait   12.5   -\n", kPersianLines), "  انتظار داده   ۱۲٫۵   -\n");
}

TEST(TextLinesTest, ANameBeforeASentenceIsACellOfItsOwn) {
  const std::string text = translated_lines(
      "  queue      empty 5.0 %, partly filled 0.5 %, full 94.5 %\n", kPersianLines);

  EXPECT_THAT(text, HasSubstr("صف "));
  EXPECT_THAT(text, HasSubstr("۵٫۰٪"));
  EXPECT_THAT(text, Not(HasSubstr("full")));
}

TEST(TextLinesTest, ASentenceMayHoldWideGapsOfItsOwn) {
  EXPECT_EQ(
      translated_lines("  measured with free data   9.5 ms [9.0, 10.0]", kPersianLines),
      "  سنجیده با دادهٔ رایگان   ۹٫۵ میلی‌ثانیه [۹٫۰، ۱۰٫۰]");
}

TEST(TextLinesTest, WhatTheCatalogueDoesNotKnowIsIsolated) {
  EXPECT_EQ(translated_lines("    --num-workers 3", kPersianLines),
            "    \u2068--num-workers 3\u2069");
}

}  // namespace
}  // namespace qanat
