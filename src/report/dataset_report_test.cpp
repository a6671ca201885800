#include <algorithm>
#include <cctype>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/dataset_html.h"
#include "report/dataset_json.h"
#include "report/dataset_report_sample.h"
#include "report/dataset_text.h"
#include "report/dataset_words.h"
#include "report/persian.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

TEST(DatasetTextTest, NoNameBesideACharacterReachesTheTerminalAsACommand) {
  DatasetReport report = sample_report();
  report.sources[0] = "a\x1b[31m.csv";
  report.unknown_characters[0].id = "\u202Eb";

  EXPECT_THAT(render_text(report),
              HasSubstr("  ☃ U+2603  3 x in 1 utterance, first in a\\x1b[31m.csv:41 \\u202eb\n"));
}

TEST(DatasetJsonTest, SaysHowOftenAndWhereFirstACharacterIsNotRead) {
  const nlohmann::json json = nlohmann::json::parse(render_json(sample_report()));

  EXPECT_EQ(json.at("unknown_characters"),
            nlohmann::json::parse(R"([{"character": "☃ U+2603", "occurrences": 3, "utterances": 1,
              "first": {"manifest": "metadata_train.csv", "line": 41, "id": "fa-1"}}])"));
}

TEST(DatasetHtmlTest, SaysHowOftenAndWhereFirstACharacterIsNotRead) {
  DatasetReport report = sample_report();
  report.unknown_characters[0].id = "<b>";

  EXPECT_THAT(render_html(report),
              AllOf(HasSubstr("<h2>Characters that are not read</h2>"),
                    HasSubstr("<td dir=\"auto\">3 x in 1 utterance, first in "
                              "metadata_train.csv:41 &lt;b&gt;</td>")));
}

// What the sentences of a Persian report say themselves: no names, paths and flags.
std::string outside_isolates(std::string_view text) {
  std::string outside;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(kFirstStrongIsolate)) {
      ++depth;
      at += kFirstStrongIsolate.size();
    } else if (text.substr(at).starts_with(kPopIsolate)) {
      --depth;
      at += kPopIsolate.size();
    } else {
      outside += depth == 0 ? std::string(1, text[at]) : std::string();
      ++at;
    }
  }
  return outside;
}

// Latin letters that Persian texts hold too.
std::string english_left_in(std::string_view text) {
  static const std::regex known("p95|UTF-8|mel|U\\+[0-9A-F]{4,6}");
  const std::string left = std::regex_replace(outside_isolates(text), known, "");
  std::smatch found;
  return std::regex_search(left, found, std::regex("[A-Za-z][^\n]*")) ? found.str() : "";
}

// Every kind of problem as the checks word them.
DatasetReport report_of_every_problem() {
  using enum ProblemKind;
  DatasetReport report = sample_report();
  report.problems = {
      {.kind = wrong_columns, .line = 1, .detail = "1 column; expected 2 to 3, separated by '|'"},
      {.kind = wrong_columns, .line = 2, .detail = "5 columns; expected 2"},
      {.kind = invalid_utf8, .line = 3, .detail = "byte 0xe9 at 12"},
      {.kind = bad_id, .line = 4, .detail = "id: empty"},
      {.kind = bad_id, .line = 4, .detail = "id: holds a control character"},
      {.kind = bad_id,
       .line = 4,
       .detail = "id: ../x; expected a name inside the data set; try an absolute path for a file "
                 "elsewhere"},
      {.kind = empty_text, .line = 5, .id = "a", .detail = "text: empty"},
      {.kind = unknown_language, .line = 6, .detail = "language: de; expected en or fa"},
      {.kind = duplicate_id, .line = 7, .detail = "first seen in metadata_train.csv line 3"},
      {.kind = missing_audio,
       .line = 8,
       .detail =
           "audio: train; no such file; tried wavs/train and train with .wav, .flac, .ogg and "
           ".mp3"},
      {.kind = missing_audio,
       .line = 8,
       .detail = "audio: /train; no such file; tried .wav, .flac, .ogg and .mp3"},
      {.kind = missing_audio,
       .line = 8,
       .detail =
           "audio: a; no such file in wavs/ or beside the manifest, but clips/a.wav; try that "
           "path as the id"},
      {.kind = missing_audio,
       .line = 8,
       .detail =
           "audio: Hi.; no such file, but the text names wavs/a.wav; try swapping the columns"},
      {.kind = untokenizable_text,
       .line = 9,
       .detail = "text: nothing to read in \"...\"; expected English or Persian words"},
      {.kind = text_too_long, .line = 10, .detail = "text: 250 tokens; expected at most 200"},
      {.kind = text_too_long, .line = 10, .detail = "line: 70000 bytes; expected at most 65536"},
      {.kind = audio_too_long,
       .line = 11,
       .detail = "audio: 14.00 s, 1205 frames; expected at most 1024"},
      {.kind = audio_too_short, .line = 12, .detail = "audio: 0.050 s; expected at least 0.100"},
      {.kind = more_tokens_than_frames, .line = 13, .detail = "text: 90 tokens for 43 frames"},
      {.kind = damaged_audio, .line = 14, .detail = "samples: 7 are no numbers"},
      {.kind = silence, .line = 15, .detail = "sound: none above -60 dB"},
      {.kind = silence, .line = 15, .detail = "silence: 1.50 s before and 0.20 s after the speech"},
      {.kind = clipping, .line = 16, .detail = "clipping: 1.25 % of the samples"},
      {.kind = repeated_audio, .line = 17, .detail = "audio: the same as LJ001-0012"},
      {.kind = unusual_pace,
       .line = 18,
       .detail = "pace: 40.1 characters per second; usual is 14.9"},
      {.kind = unknown_characters, .line = 19, .detail = "characters: ☃ U+2603"},
      {.kind = other_rate, .line = 20, .detail = "rate: 16000 Hz; expected 22050"},
      {.kind = several_channels, .line = 21, .detail = "channels: 2"},
      {.kind = unused_column, .line = 22, .detail = "column: mood"},
      {.kind = unused_file, .detail = "metadata.csv: not read; metadata_train.csv is"}};
  report.counts = {};
  for (const DatasetProblem& problem : report.problems) {
    ++report.counts[static_cast<std::size_t>(problem.kind)];
  }
  return report;
}

const Words kPersian(Language::fa);

TEST(DatasetPersianTest, NothingStaysEnglishInTheText) {
  EXPECT_EQ(english_left_in(render_text(report_of_every_problem(), {.words = kPersian})), "");
}

TEST(DatasetPersianTest, ProblemsAreSaidInPersianAsAWhole) {
  std::string isolated_whole;
  for (const DatasetProblem& problem : report_of_every_problem().problems) {
    if (kPersian.say(problem.detail).starts_with(kFirstStrongIsolate) &&
        problem.kind != ProblemKind::unused_file) {
      isolated_whole += problem.detail + '\n';
    }
  }
  EXPECT_EQ(isolated_whole, "");
}

TEST(DatasetPersianTest, EveryKindHasAnExplanationAndATitle) {
  DatasetReport report = report_of_every_problem();
  const std::string html = render_html(report, {.words = kPersian});

  for (std::size_t i = 0; i < kNumProblemKinds; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    EXPECT_TRUE(has_persian(explain(kind))) << explain(kind);
    std::string title(to_string(kind));
    std::ranges::replace(title, '_', ' ');
    title.front() = static_cast<char>(std::toupper(title.front()));
    EXPECT_TRUE(has_persian(kind == ProblemKind::invalid_utf8 ? "Invalid UTF-8" : title)) << title;
  }
  EXPECT_THAT(html, HasSubstr("صوت آسیب‌دیده"));
}

class UnusableSetTest : public testing::TestWithParam<const char*> {};

TEST_P(UnusableSetTest, SaysWhyInPersian) {
  DatasetReport report = sample_report();
  report.unusable = GetParam();

  const std::string said = verdict(report, {.words = kPersian});

  EXPECT_THAT(
      said,
      testing::StartsWith("این مجموعه به کار نمی‌آید: \u2068/data/voices"));
  EXPECT_THAT(said, Not(HasSubstr(GetParam())));
  EXPECT_EQ(english_left_in(said), "");
}

INSTANTIATE_TEST_SUITE_P(
    Reasons,
    UnusableSetTest,
    testing::Values(
        "/data/voices/metadata.csv: no rows; expected lines of the form id|text",
        "/data/voices/metadata.csv: none of 2 rows can be used; the first problem is in line 1: "
        "audio: a; no such file; tried wavs/a and a with .wav, .flac, .ogg and .mp3 (there is no "
        "audio file for the id, in wavs/ or beside the manifest)",
        "/data/voices: none of 12 utterances can be used",
        "/data/voices: no utterance for training: all 3 usable ones are for validation"));

TEST(DatasetPersianTest, TooMuchDamageIsSaidInPersian) {
  DatasetReport report = sample_report();
  report.unusable =
      "damaged utterances: 3 of 33 (9.1 %) in /data/voices; expected at most 5.0 % "
      "(max_bad_fraction); the last: line 33, nowhere3: line: 70000 bytes; expected at most 65536; "
      "try `qanat data check`, which lists them all";

  const std::string said = verdict(report, {.words = kPersian});

  EXPECT_EQ(english_left_in(said), "");
}

TEST(DatasetPersianTest, NothingInTheDataReachesTheTerminalAsACommand) {
  DatasetReport report = sample_report();
  report.speakers[0].name = "\u2069\u202Emary\x1b[31m";
  report.problems[0].detail =
      "audio: \u2069\x1b]0;b; no such file; tried .wav, .flac, .ogg and .mp3";
  report.unusable = "/data/\u2069\x1b: none of 12 utterances can be used";

  EXPECT_THAT(render_text(report, {.words = kPersian}),
              AllOf(HasSubstr("\u2068\\u2069\\u202emary\\x1b[31m\u2069"),
                    HasSubstr("صوت: \u2068\\u2069\\x1b]0;b\u2069؛"),
                    HasSubstr("\u2068/data/\\u2069\\x1b\u2069: "),
                    Not(HasSubstr("\x1b"))));
}

TEST(DatasetPersianTest, JsonStaysEnglish) {
  EXPECT_THAT(render_json(report_of_every_problem()), HasSubstr("text: 90 tokens for 43 frames"));
}

// The words between the tags.
std::string words_of(const std::string& html) {
  static const std::regex tags("<[^>]*>");
  return std::regex_replace(html.substr(html.find("<main>")), tags, "\n");
}

TEST(DatasetPersianTest, ThePageRunsFromRightToLeft) {
  const std::string html = render_html(sample_report(), {.words = kPersian});

  EXPECT_THAT(html,
              AllOf(HasSubstr("<html lang=\"fa\" dir=\"rtl\">"),
                    HasSubstr("<h1>مجموعه‌دادهٔ \u2068/data/voices\u2069</h1>"),
                    HasSubstr("<td class=\"number\">۹٬۰۹۷</td>"),
                    HasSubstr("aria-label=\"نبودن صوت\""),
                    HasSubstr("&lt;script&gt;"),
                    Not(HasSubstr("<script"))));
}

TEST(DatasetPersianTest, NothingStaysEnglishOnThePage) {
  DatasetReport report = report_of_every_problem();
  report.speakers = {{"علی", {2, Seconds{5}}}, {"", {1, Seconds{120}}}};

  EXPECT_EQ(english_left_in(words_of(render_html(report, {.list_limit = 1, .words = kPersian}))),
            "");
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
