#include "text/tidy.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(TidyTest, SpacesAreSingleAndStandWhereTheyBelong) {
  EXPECT_EQ(tidy_text("  a   b , c ( d ) . "), "a b, c (d).");
  EXPECT_EQ(tidy_text("« سلام » ،خوب"), "«سلام»، خوب");
}

TEST(TidyTest, RepeatedMarksAreOne) {
  EXPECT_EQ(tidy_text("what?!! no,,"), "what?! no,");
}

TEST(TidyTest, HyphensJoinWordsOrAreDashes) {
  EXPECT_EQ(tidy_text("forty-two - no"), "forty-two — no");
  EXPECT_EQ(tidy_text("pre- and post-war -x a-"), "pre and post-war x a");
  EXPECT_EQ(tidy_text("- yes - - no"), "— yes — no");
}

TEST(TidyTest, ZwnjStaysBetweenPersianLettersOnly) {
  EXPECT_EQ(tidy_text("می\u200Cروم"), "می\u200Cروم");
  EXPECT_EQ(tidy_text("می\u200C\u200Cروم"), "می\u200Cروم");
  EXPECT_EQ(tidy_text("\u200Cکتاب\u200C ها\u200C، و\u200C"), "کتاب ها، و");
  EXPECT_EQ(tidy_text("pdf\u200Cها"), "pdf ها");
}

TEST(TidyTest, ASignWithoutASoundPartsTheWordsBesideIt) {
  EXPECT_EQ(tidy_text("سلام😀خوبی"), "سلام😀 خوبی");
  EXPECT_EQ(tidy_text("کتاب👍🏽دفتر"), "کتاب👍🏽 دفتر");
  EXPECT_EQ(tidy_text("one→two|three\\four"), "one→ two| three\\ four");
  EXPECT_EQ(tidy_text("one 😀 two™, three"), "one 😀 two™, three");
}

TEST(TidyTest, ScriptsPart) {
  EXPECT_EQ(tidy_text("pdfها"), "pdf ها");
}

}  // namespace
}  // namespace qanat
