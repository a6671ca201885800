#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/dataset_html.h"
#include "report/dataset_json.h"
#include "report/dataset_report_sample.h"
#include "report/dataset_text.h"
#include "report/dataset_words.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGolden = R"(Data set /data/voices
  manifest            metadata_train.csv, metadata_eval.csv
  rows                13,100
  usable              13,096 utterances, 23.9 h
  for training        12,502 utterances, 22.8 h
  for validation      594 utterances, 1.11 h
  speakers            2: mary 19.4 h, علی 4.44 h
  languages           en 19.4 h, fa 4.44 h
  audio               22050 Hz mono 23.9 h
  clip length         1.10 s shortest, 6.50 s median, 6.57 s mean, 9.80 s p95, 14.00 s longest
  speaking pace       14.9 characters per second (median)
  limits              at most 200 tokens and 1024 frames (11.9 s), at least 0.10 s
  unknown characters  ☃ U+2603 (1)
  looked at           manifest, text, audio headers and every sample

Clips by length
         0-5 s     4,000 █████████████████▋
        5-10 s     9,097 ████████████████████████████████████████
       10-15 s         3 ▏

Errors: these would not be used
  missing_audio (3): there is no audio file for the id, in wavs/ or beside the manifest
    metadata_train.csv:12  LJ001-0012  audio: LJ001-0012; no such file
    metadata_train.csv:15  LJ001-0015  audio: LJ001-0015; no such file
    and 1 more; --all lists them
  audio_too_long (1): the audio has more frames than --max-mel-frames; it is left out, never cut
    metadata_train.csv:40  wavs/LJ001-0040.wav  audio: 14.00 s, 1205 frames; expected at most 1024

Warnings: these are used; look at them
  unknown_characters (1): the text holds characters the tokenizer does not know; they are not spoken
    metadata_train.csv:41  wavs/fa-1.wav  characters: ☃ U+2603

Notes
  unused_column (1): a column of the header that is not used
    metadata_train.csv:1  column: \x1b[31mmood

4 of 13,100 rows (0.0305 %) would not be used; 1 warning.
)";

TEST(DatasetTextTest, SaysWhatIsThereWhatIsWrongAndWhatFollows) {
  EXPECT_EQ(render_text(sample_report(), {.list_limit = 2, .unicode = true}), kGolden);
}

TEST(DatasetTextTest, ListsEverythingWhenAsked) {
  EXPECT_THAT(render_text(sample_report(), {.list_limit = std::nullopt}),
              AllOf(HasSubstr("metadata_eval.csv:3"), Not(HasSubstr("--all"))));
}

TEST(DatasetTextTest, BarsArePlainWhereTheTerminalIs) {
  EXPECT_THAT(render_text(sample_report(), {.unicode = false}),
              AllOf(HasSubstr("5-10 s     9,097 " + std::string(40, '#') + "\n"),
                    HasSubstr("10-15 s         3 #\n")));
}

TEST(DatasetTextTest, NothingInTheDataReachesTheTerminalAsACommand) {
  DatasetReport report = sample_report();
  report.problems[0].detail = "a\x1b]0;b\x07 \u009b31m \u202E\u2066\u200F سلام\u200Cها";

  EXPECT_THAT(render_text(report),
              AllOf(HasSubstr("a\\x1b]0;b\\x07 \\u009b31m \\u202e\\u2066\\u200f سلام\u200Cها"),
                    Not(HasSubstr("\x1b"))));
}

TEST(DatasetWordsTest, NumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(-1'234'567), "-1,234,567");
}

TEST(DatasetWordsTest, DurationsHaveTheUnitThatFits) {
  EXPECT_EQ(duration_words(Seconds{0}), "0 s");
  EXPECT_EQ(duration_words(Seconds{42.42}), "42.4 s");
  EXPECT_EQ(duration_words(Seconds{221.7}), "3.69 min");
  EXPECT_EQ(duration_words(Seconds{86'000}), "23.9 h");
  EXPECT_EQ(duration_words(Seconds{3.6e6}), "1,000 h");
}

TEST(DatasetWordsTest, AGoodSetIsSaidToBeGood) {
  DatasetReport report;
  report.rows = 10;
  report.usable.utterances = 10;

  EXPECT_EQ(verdict(report), "All 10 rows can be used.");
}

TEST(DatasetWordsTest, AnUnusableSetSaysWhy) {
  DatasetReport report = sample_report();
  report.unusable = "no rows";

  EXPECT_EQ(verdict(report), "This set cannot be used: no rows");
}

TEST(DatasetJsonTest, HoldsEverything) {
  const auto json = nlohmann::json::parse(render_json(sample_report()));

  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["rows"], 13'100);
  EXPECT_EQ(json["dropped"], 4);
  EXPECT_EQ(json["validation"]["utterances"], 594);
  EXPECT_EQ(json["counts"]["missing_audio"], 3);
  EXPECT_EQ(json["problems"].size(), 6U);
  EXPECT_EQ(json["problems"][2]["manifest"], "metadata_eval.csv");
  EXPECT_EQ(json["problems"][2]["severity"], "error");
  EXPECT_EQ(json["problems"][4]["text"], "سلام ☃ دنیا");
  EXPECT_EQ(json["speakers"][1]["name"], "علی");
  EXPECT_EQ(json["histogram"][2]["utterances"], 3);
}

TEST(DatasetJsonTest, UnknownIsNull) {
  const auto json = nlohmann::json::parse(render_json({}));

  EXPECT_TRUE(json["train"].is_null());
  EXPECT_TRUE(json["length_s"].is_null());
  EXPECT_TRUE(json["unusable"].is_null());
}

TEST(DatasetJsonTest, APathThatIsNotUtf8IsStillJson) {
  DatasetReport report = sample_report();
  report.root = "/data/caf\xE9";

  EXPECT_EQ(nlohmann::json::parse(render_json(report))["root"], "/data/caf\uFFFD");
}

TEST(DatasetHtmlTest, EscapesWhatTheDataSetHolds) {
  const std::string html = render_html(sample_report());

  EXPECT_THAT(html,
              AllOf(HasSubstr("&lt;script&gt;"),
                    Not(HasSubstr("<script")),
                    HasSubstr("A &quot;long&quot; &amp; winding text"),
                    Not(HasSubstr("\x1b"))));
}

TEST(DatasetHtmlTest, TextHasTheDirectionOfItsScript) {
  EXPECT_THAT(render_html(sample_report()), HasSubstr("<td dir=\"auto\">سلام ☃ دنیا</td>"));
}

TEST(DatasetHtmlTest, LoadsNothingFromElsewhere) {
  EXPECT_THAT(render_html(sample_report()),
              AllOf(HasSubstr("default-src 'none'"),
                    Not(HasSubstr("://")),
                    Not(HasSubstr("src=")),
                    Not(HasSubstr("url("))));
}

TEST(DatasetHtmlTest, SaysWhatItLeftOut) {
  EXPECT_THAT(render_html(sample_report(), {.list_limit = 1}), HasSubstr("and 2 more"));
  EXPECT_THAT(render_html(sample_report()), Not(HasSubstr("--all")));
}

}  // namespace
}  // namespace qanat
