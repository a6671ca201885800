#include "text/clauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;

TEST(ClausesTest, AMarkInsideANumberOrAWordIsNoPause) {
  EXPECT_THAT(
      split_clauses("Es kostet 3,50 z.B. heute, sagt er."),
      ElementsAre(
          Clause{"Es kostet 3,50 z.B ", "."}, Clause{"heute ", ","}, Clause{"sagt er", "."}));
}

TEST(ClausesTest, ScriptsWithoutSpacesPauseAtTheirMarks) {
  EXPECT_THAT(split_clauses("你好，世界。"), ElementsAre(Clause{"你好", ","}, Clause{"世界", "."}));
}

TEST(ClausesTest, MarksStandWhereTheSpeakerPaused) {
  EXPECT_EQ(join_clauses("Ja, gut.", {"jaː", "ɡuːt"}), "jaː, ɡuːt.");
}

TEST(ClausesTest, ASpeakerWhoPausesElsewhereKeepsTheLastMark) {
  EXPECT_EQ(join_clauses("Dr. Müller, ja.", {"dɔktoːɾ mʏlɜ jaː"}), "dɔktoːɾ mʏlɜ jaː.");
}

TEST(ClausesTest, LongLinesArePartedAtSpacesAndNeverInsideACharacter) {
  std::string joined;
  for (const std::string& part : split_long_line("ääää ää äääääää", 9)) {
    EXPECT_LE(part.size(), 9U);
    joined += part + '|';
  }

  EXPECT_EQ(joined, "ääää|ää|ääää|äää|");
}

}  // namespace
}  // namespace qanat
