#include "dataset/column_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/says_testing.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TableColumns found(const std::vector<std::string>& names, std::string_view choice = "") {
  return find_columns(names, parse_column_choice(choice).value()).value();
}

TEST(ColumnNamesTest, PrefersAPathToAnId) {
  const TableColumns columns = found({"id", "Sentence", "path"});

  EXPECT_EQ(columns.of(ColumnRole::audio), 2);
  EXPECT_EQ(columns.of(ColumnRole::text), 1);
  EXPECT_THAT(columns.unused, ElementsAre("id"));
}

TEST(ColumnNamesTest, TakesAnIdWhereThereIsNoPath) {
  EXPECT_EQ(found({"text", "ID"}).of(ColumnRole::audio), 1);
}

TEST(ColumnNamesTest, TakesWhatIsChosenAndNothingElseForThatRole) {
  const TableColumns columns = found({"file", "text", "kana"}, "text=kana");

  EXPECT_EQ(columns.of(ColumnRole::text), 2);
  EXPECT_THAT(columns.unused, ElementsAre("text"));
}

TEST(ColumnNamesTest, DoesNotPreferANormalizedColumnToTheTextThatIsChosen) {
  const TableColumns columns = found({"file", "text", "normalized_text"}, "text=text");

  EXPECT_EQ(columns.of(ColumnRole::text), 1);
  EXPECT_EQ(columns.of(ColumnRole::normalised), std::nullopt);
}

TEST(ColumnNamesTest, ReadsAChoiceOfSeveralRoles) {
  const Result<ColumnChoice> choice = parse_column_choice(" text = sentence, speaker=client_id ");

  ASSERT_TRUE(choice);
  EXPECT_EQ(choice.value().name(ColumnRole::text), "sentence");
  EXPECT_EQ(choice.value().name(ColumnRole::speaker), "client_id");
}

TEST(ColumnNamesTest, NamesTheColumnsWhenTheChosenOneIsNotThere) {
  const auto columns = find_columns(std::vector<std::string>{"file", "kana"},
                                    parse_column_choice("text=kanji").value());

  ASSERT_FALSE(columns);
  EXPECT_THAT(columns.failure().what, HasSubstr("no column kanji for text; there are file, kana"));
}

class RefusedChoiceTest : public testing::TestWithParam<const char*> {};

TEST_P(RefusedChoiceTest, SaysWhichRolesThereAre) {
  const Result<ColumnChoice> choice = parse_column_choice(GetParam());

  ASSERT_FALSE(choice);
  EXPECT_THAT(choice.failure().what, HasSubstr("audio, text, normalized, speaker, language"));
}

INSTANTIATE_TEST_SUITE_P(
    Words,
    RefusedChoiceTest,
    testing::Values("text", "text=", "words=a", "duration=d", "text=a,text=b", "=a"));

}  // namespace
}  // namespace qanat
