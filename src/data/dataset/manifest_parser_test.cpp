#include "dataset/manifest_parser.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/says_testing.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// "line audio/text/speaker/language" of every row.
std::vector<std::string> rows_of(ManifestParser& parser) {
  std::vector<std::string> rows;
  while (const std::optional<ManifestRow> row = parser.next()) {
    rows.push_back(std::to_string(row->line) + " " + std::string(row->audio) + "/" +
                   std::string(row->text) + "/" + std::string(row->speaker) + "/" +
                   std::string(row->language));
  }
  return rows;
}

std::vector<std::string> rows_of(std::string_view bytes) {
  ManifestParser parser(bytes);
  std::vector<std::string> rows = rows_of(parser);
  EXPECT_THAT(parser.problems(), IsEmpty());
  return rows;
}

DatasetProblem only_problem_of(std::string_view bytes) {
  ManifestParser parser(bytes);
  rows_of(parser);
  EXPECT_THAT(parser.problems(), SizeIs(1));
  return parser.problems().empty() ? DatasetProblem{} : parser.problems().front();
}

auto IsOrder(const char* detail) {
  return testing::AllOf(testing::Field(&DatasetProblem::kind, ProblemKind::column_order),
                        testing::Field(&DatasetProblem::detail, Says(detail)));
}

TEST(ManifestParserTest, ReadsTwoColumns) {
  EXPECT_THAT(rows_of("a|Hello.\nb|There.\n"), ElementsAre("1 a/Hello.//", "2 b/There.//"));
}

TEST(ManifestParserTest, ThirdColumnIsTheTextWhereItIsNotEmpty) {
  EXPECT_THAT(rows_of("a|In 1455|In fourteen fifty-five\nb|Raw|\nc|Raw\n"),
              ElementsAre("1 a/In fourteen fifty-five//", "2 b/Raw//", "3 c/Raw//"));
}

TEST(ManifestParserTest, FourthAndFifthColumnsAreSpeakerAndLanguage) {
  EXPECT_THAT(rows_of("a|x|y|mary\nb|x|y|ali|fa"), ElementsAre("1 a/y/mary/", "2 b/y/ali/fa"));
}

TEST(ManifestParserTest, ReadsTheSpeakersOfPiperAndSaysSo) {
  ManifestParser parser("a|mary|Good day.\nb|john|Well then.\nc|mary|So it goes.");

  EXPECT_THAT(rows_of(parser),
              ElementsAre("1 a/Good day./mary/", "2 b/Well then./john/", "3 c/So it goes./mary/"));
  EXPECT_THAT(parser.problems(), ElementsAre(IsOrder("columns: taken for id|speaker|text")));
}

TEST(ManifestParserTest, KeepsTheTextOfStyleTts2) {
  ManifestParser parser("a.wav|Good day to you.|0\nb.wav|Well then.|1\nc.wav|So it goes.|0\n");

  EXPECT_THAT(
      rows_of(parser),
      ElementsAre(
          "1 a.wav/Good day to you./0/", "2 b.wav/Well then./1/", "3 c.wav/So it goes./0/"));
  EXPECT_THAT(parser.problems(), ElementsAre(IsOrder("columns: taken for id|text|speaker")));
}

TEST(ManifestParserTest, KeepsTheTextOfGptSoVits) {
  ManifestParser parser("a.wav|mary|EN|Good day to you.\nb.wav|mary|EN|So it goes.\n");

  EXPECT_THAT(rows_of(parser),
              ElementsAre("1 a.wav/Good day to you./mary/EN", "2 b.wav/So it goes./mary/EN"));
  EXPECT_THAT(parser.problems(),
              ElementsAre(IsOrder("columns: taken for id|speaker|language|text")));
}

TEST(ManifestParserTest, ColumnsThatMayBeEitherAreNotGuessed) {
  ManifestParser parser("a|mary|Good day.\nb|john|Well then.\n");

  rows_of(parser);

  EXPECT_TRUE(parser.is_ambiguous());
}

TEST(ManifestParserTest, AHeaderSaysWhichColumnsTheyAre) {
  EXPECT_THAT(rows_of("id|speaker|text\na|mary|Good day.\nb|john|Well then.\n"),
              ElementsAre("2 a/Good day./mary/", "3 b/Well then./john/"));
}

TEST(ManifestParserTest, QuotationMarksMeanThemselves) {
  EXPECT_THAT(rows_of("a|\"Hello|\"He said \"\"so\"\n"), ElementsAre("1 a/\"He said \"\"so\"//"));
}

TEST(ManifestParserTest, ReadsTheHeaderOfCoqui) {
  EXPECT_THAT(rows_of("audio_file|text|transcription|speaker_name\nwavs/a.wav|1|one|lj\n"),
              ElementsAre("2 wavs/a.wav/one/lj/"));
}

TEST(ManifestParserTest, AHeaderMayReorderAndLeaveOut) {
  EXPECT_THAT(rows_of("\n Language | Speaker ID|Text|ID\nfa|s1|salaam|a\n"),
              ElementsAre("3 a/salaam/s1/fa"));
}

TEST(ManifestParserTest, AHeaderWithOneTextColumnMayCallItTranscription) {
  EXPECT_THAT(rows_of("audio_file|transcription\na|one\n"), ElementsAre("2 a/one//"));
}

TEST(ManifestParserTest, ARowUnderAHeaderMayLackOptionalColumnsAtItsEnd) {
  EXPECT_THAT(rows_of("id|text|normalised|speaker\na|one\n"), ElementsAre("2 a/one//"));
}

TEST(ManifestParserTest, AColumnNobodyKnowsIsNoted) {
  const DatasetProblem problem = only_problem_of("id|text|emotion\na|one|glad\n");

  EXPECT_EQ(problem.kind, ProblemKind::unused_column);
  EXPECT_THAT(problem.detail, Says("column: emotion"));
}

TEST(ManifestParserTest, AFirstRowThatIsNoHeaderIsARow) {
  EXPECT_THAT(rows_of("text|id and more\n"), ElementsAre("1 text/id and more//"));
}

class LineEndTest : public testing::TestWithParam<std::string> {};

TEST_P(LineEndTest, EndsALineAndIsNotInTheText) {
  const std::string& end = GetParam();

  EXPECT_THAT(rows_of("a|one" + end + end + "  " + end + "b|two|two" + end + "c|three"),
              ElementsAre("1 a/one//", "4 b/two//", "5 c/three//"));
}

INSTANTIATE_TEST_SUITE_P(ManifestParser, LineEndTest, testing::Values("\n", "\r\n", "\r"));

TEST(ManifestParserTest, IgnoresAByteOrderMark) {
  EXPECT_THAT(rows_of("\xEF\xBB\xBFid|text\na|one\n"), ElementsAre("2 a/one//"));
  EXPECT_THAT(rows_of("\xEF\xBB\xBF"
                      "a|one\n"),
              ElementsAre("1 a/one//"));
}

TEST(ManifestParserTest, KeepsZeroWidthNonJoinersAndInnerBlanks) {
  EXPECT_THAT(rows_of("a|  می\u200Cروم  خانه \n"), ElementsAre("1 a/می\u200Cروم  خانه//"));
}

TEST(ManifestParserTest, AnEmptyFileHasNoRows) {
  EXPECT_THAT(rows_of(""), IsEmpty());
  EXPECT_THAT(rows_of("\n\r\n \t\n"), IsEmpty());
}

TEST(ManifestParserTest, OneColumnIsTooFew) {
  const DatasetProblem problem = only_problem_of("a|fine\nLJ001-0001, Printing\n");

  EXPECT_EQ(problem.kind, ProblemKind::wrong_columns);
  EXPECT_EQ(problem.line, 2);
  EXPECT_THAT(problem.detail, Says("1 column; expected 2 to 5, separated by '|'"));
}

TEST(ManifestParserTest, SixColumnsAreTooMany) {
  const DatasetProblem problem = only_problem_of("a|b|c|d|en|f\n");

  EXPECT_EQ(problem.kind, ProblemKind::wrong_columns);
  EXPECT_EQ(problem.id, "a");
  EXPECT_THAT(problem.detail, Says("6 columns; expected 2 to 5"));
}

TEST(ManifestParserTest, MoreColumnsThanTheHeaderAreTooMany) {
  EXPECT_THAT(only_problem_of("id|text\na|b|c\n").detail, Says("3 columns; expected 2"));
}

TEST(ManifestParserTest, EmptyTextIsReportedWithItsId) {
  const DatasetProblem problem = only_problem_of("a| \t|\n");

  EXPECT_EQ(problem.kind, ProblemKind::empty_text);
  EXPECT_EQ(problem.id, "a");
}

TEST(ManifestParserTest, EmptyIdIsReported) {
  EXPECT_EQ(only_problem_of(" |text\n").kind, ProblemKind::bad_id);
}

TEST(ManifestParserTest, AnIdWithAControlCharacterIsReported) {
  EXPECT_EQ(only_problem_of("a\x01"
                            "b|text\n")
                .kind,
            ProblemKind::bad_id);
}

TEST(ManifestParserTest, AZeroByteCostsItsRowOnly) {
  const DatasetProblem problem = only_problem_of(std::string_view("a|one\nb|t\0wo\nc|three\n", 21));

  EXPECT_EQ(problem.kind, ProblemKind::invalid_utf8);
  EXPECT_EQ(problem.line, 2);
  EXPECT_THAT(problem.detail, Says("byte 0x00 at 4"));
}

TEST(ManifestParserTest, AnEndlessLineIsReportedWithoutLookingIntoIt) {
  const std::string endless = "a|one\nb|" + std::string(100'000, '|') + "\nc|three\n";

  const DatasetProblem problem = only_problem_of(endless);

  EXPECT_EQ(problem.kind, ProblemKind::text_too_long);
  EXPECT_EQ(problem.line, 2);
  EXPECT_THAT(problem.detail, Says("line: 100002 bytes; expected at most 65536"));
}

TEST(ManifestParserTest, InvalidUtf8IsReportedWithByteAndPlace) {
  const DatasetProblem problem = only_problem_of("a|one\nb|caf\xE9|x\nc|three\n");

  EXPECT_EQ(problem.kind, ProblemKind::invalid_utf8);
  EXPECT_EQ(problem.line, 2);
  EXPECT_THAT(problem.detail, Says("byte 0xe9 at 6"));
}

TEST(ManifestParserTest, ABadRowDoesNotHideTheNext) {
  ManifestParser parser("nothing\na|one\n|x\nb|two\n");

  EXPECT_THAT(rows_of(parser), ElementsAre("2 a/one//", "4 b/two//"));
  EXPECT_THAT(parser.problems(), SizeIs(2));
}

TEST(ForeignEncodingTest, RecognisesUtf16AndBinaryFiles) {
  EXPECT_THAT(foreign_encoding("\xFF\xFE"
                               "a")
                  .value(),
              Says(HasSubstr("UTF-16")));
  EXPECT_THAT(foreign_encoding(std::string_view("PK\0\1", 4)).value(),
              Says(HasSubstr("zero bytes")));
  EXPECT_EQ(foreign_encoding("a|سلام"), std::nullopt);
  EXPECT_EQ(foreign_encoding(std::string_view("a|text\nb|te\0t\n", 14)), std::nullopt);
}

}  // namespace
}  // namespace qanat
