#include "dataset/table_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::Pair;

using TableRows = std::vector<std::pair<int, std::vector<std::string>>>;

TableRows table_rows(std::string_view bytes, TableForm form = {}) {
  TableRows rows;
  TableParser parser(bytes, form);
  while (parser.next()) {
    rows.emplace_back(parser.line(), parser.cells());
  }
  return rows;
}

TEST(TableParserTest, ReadsQuotedCellsWithCommasMarksAndLines) {
  const TableRows rows =
      table_rows("file,text\r\na.wav,\"One, \"\"two\"\",\nthree\"\r\nb.wav, four \r\n");

  EXPECT_THAT(rows,
              ElementsAre(Pair(1, ElementsAre("file", "text")),
                          Pair(2, ElementsAre("a.wav", "One, \"two\",\nthree")),
                          Pair(4, ElementsAre("b.wav", "four"))));
}

TEST(TableParserTest, TakesAStrayMarkForItself) {
  EXPECT_THAT(table_rows("a,\"yes\" he said\nb,\"no\nc,d\n"),
              ElementsAre(Pair(1, ElementsAre("a", "\"yes\" he said")),
                          Pair(2, ElementsAre("b", "\"no")),
                          Pair(3, ElementsAre("c", "d"))));
}

TEST(TableParserTest, EndsACellOfATabFileWithItsLine) {
  EXPECT_THAT(table_rows("a\t\"one\nb\t\"two\"\n", {.separator = '\t'}),
              ElementsAre(Pair(1, ElementsAre("a", "\"one")), Pair(2, ElementsAre("b", "two"))));
}

TEST(TableParserTest, KeepsEmptyCellsAndSkipsBlankLines) {
  EXPECT_THAT(table_rows("\xEF\xBB\xBF"
                         "a,,\n\n,b"),
              ElementsAre(Pair(1, ElementsAre("a", "", "")), Pair(3, ElementsAre("", "b"))));
}

TEST(TableParserTest, ChoosesTheSeparatorOfTheFirstLine) {
  EXPECT_EQ(table_form("file\ttext, spoken\n")->separator, '\t');
  EXPECT_EQ(table_form("file;text\n")->separator, ';');
  EXPECT_FALSE(table_form("a|one, two\n"));
  EXPECT_FALSE(table_form("one\n"));
}

}  // namespace
}  // namespace qanat
