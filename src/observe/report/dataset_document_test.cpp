#include "report/dataset_document.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "report/dataset_report_sample.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Translator kPersian(Language::fa);

std::string in_text(const DatasetReport& report, const Translator& words = Translator()) {
  return render_text(to_document(report, 20), words);
}

nlohmann::ordered_json in_json(const DatasetReport& report) {
  return nlohmann::ordered_json::parse(to_text(render_json(to_document(report))));
}

std::string on_page(const DatasetReport& report, const Translator& words = Translator()) {
  return render_html(report, {.file = "/pages/check.html", .list_limit = 200}, words);
}

TEST(DatasetDocumentTest, ListsEverythingWhenAsked) {
  EXPECT_THAT(render_text(to_document(sample_report())),
              AllOf(HasSubstr("metadata_eval.csv:3"), Not(HasSubstr("--all"))));
}

TEST(DatasetDocumentTest, SaysWhatItLeftOut) {
  EXPECT_THAT(render_text(to_document(sample_report(), 1)), HasSubstr("and 2 more; --all"));
  EXPECT_THAT(
      render_html(sample_report(), {.file = "/pages/check.html", .list_limit = 1}, Translator()),
      HasSubstr("and 2 more; --all"));
}

TEST(DatasetDocumentTest, BarsArePlainWhereTheTerminalIs) {
  EXPECT_THAT(render_text(to_document(sample_report()), Translator(), Bars::ascii),
              AllOf(HasSubstr("5-10 s  9,097  " + std::string(40, '#') + "\n"),
                    HasSubstr("10-15 s      3  #\n")));
}

TEST(DatasetDocumentTest, NothingInTheDataReachesTheTerminalAsACommand) {
  DatasetReport report = sample_report();
  report.sources[0] = "a\x1b[31m.csv";
  report.speakers[0].name = "\u2069\u202Emary\x1b[31m";
  report.problems[0].detail = "a\x1b]0;b\x07 \u009b31m \u202E\u2066\u200F سلام\u200Cها";

  EXPECT_THAT(in_text(report),
              AllOf(HasSubstr("a\\x1b]0;b\\x07 \\u009b31m \\u202e\\u2066\\u200f سلام\u200Cها"),
                    HasSubstr("a\\x1b[31m.csv:41 fa-1"),
                    Not(HasSubstr("\x1b"))));
  EXPECT_THAT(in_text(report, kPersian),
              AllOf(HasSubstr("\u2068\\u2069\\u202emary\\x1b[31m\u2069"), Not(HasSubstr("\x1b"))));
}

TEST(DatasetDocumentTest, AGoodSetIsSaidToBeGood) {
  DatasetReport report;
  report.rows = 10;
  report.usable.utterances = 10;

  EXPECT_THAT(in_text(report), HasSubstr("All 10 rows can be used.\n"));
}

TEST(DatasetDocumentTest, AnUnusableSetSaysWhy) {
  DatasetReport report = sample_report();
  report.unusable = msg::set_no_rows{.file = "metadata.csv"};

  EXPECT_THAT(in_text(report), HasSubstr("This set cannot be used: metadata.csv: no rows"));
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
  static const std::regex known(
      "p95|UTF-8|mel|manifest|header|tokenizer|clipping|U\\+[0-9A-F]{4,6}");
  const std::string left = std::regex_replace(outside_isolates(text), known, "");
  std::smatch found;
  return std::regex_search(left, found, std::regex("[A-Za-z][^\n]*")) ? found.str() : "";
}

// Every kind of problem.
DatasetReport report_of_every_problem() {
  DatasetReport report = sample_report();
  report.problems.clear();
  for (std::size_t i = 0; i < kNumProblemKinds; ++i) {
    report.problems.push_back({.kind = static_cast<ProblemKind>(i),
                               .line = static_cast<int>(i),
                               .id = "a",
                               .detail = msg::seen_empty_text{}});
    report.counts.at(i) = 1;
  }
  return report;
}

TEST(DatasetDocumentTest, NothingStaysEnglishInPersianText) {
  EXPECT_EQ(english_left_in(in_text(report_of_every_problem(), kPersian)), "");
}

TEST(DatasetDocumentTest, PersianSaysWhyASetCannotBeUsed) {
  DatasetReport report = sample_report();
  report.unusable = msg::set_too_damaged{.damaged = 3,
                                         .all = 33,
                                         .share = in_percent(0.091, 1),
                                         .folder = "/data/voices",
                                         .limit = in_percent(0.05, 1),
                                         .line = 33,
                                         .name = "nowhere3",
                                         .detail = msg::seen_empty_text{}};

  const std::string said = in_text(report, kPersian);

  EXPECT_THAT(
      said,
      HasSubstr(
          "این مجموعه قابل استفاده نیست: گفته‌های خراب"));
  EXPECT_EQ(english_left_in(said), "");
}

// The words between the tags.
std::string words_of(const std::string& html) {
  // Names and texts of the data set, then what is not text.
  static const std::regex tags("<bdi>[^<]*</bdi>|<p dir=\"auto\">[^<]*</p>|<[^>]*>");
  return std::regex_replace(html.substr(html.find("<main>")), tags, "\n");
}

TEST(DatasetDocumentTest, PersianPagesRunFromRightToLeft) {
  const std::string html = on_page(sample_report(), kPersian);

  EXPECT_THAT(html,
              AllOf(HasSubstr("<html lang=\"fa\" dir=\"rtl\">"),
                    HasSubstr("<h1>مجموعه‌دادهٔ \u2068/data/voices\u2069</h1>"),
                    HasSubstr("۹٬۰۹۷"),
                    HasSubstr("&lt;script&gt;"),
                    Not(HasSubstr("<script"))));
}

TEST(DatasetDocumentTest, ClipsAtTheEndsAreHeardAndRead) {
  EXPECT_THAT(on_page(sample_report()),
              AllOf(HasSubstr("<h3>Fastest</h3>"),
                    HasSubstr("<p dir=\"auto\">آب از کوه می‌رسد.</p>"),
                    HasSubstr("src=\"../data/voices/wavs/fa%202.wav\""),
                    HasSubstr("500.00 ms, 34.0 characters per second"),
                    HasSubstr("Water &lt;b&gt;comes&lt;/b&gt; down."),
                    HasSubstr("media-src 'self'")));
  EXPECT_THAT(on_page(sample_report(), kPersian), HasSubstr("<h3>تندترین</h3>"));
  EXPECT_EQ(in_json(sample_report())["clips"][1]["kind"], "fastest");
}

TEST(DatasetDocumentTest, AProblemCanBeHeard) {
  EXPECT_THAT(on_page(sample_report()),
              HasSubstr("<audio controls preload=\"none\" "
                        "src=\"../data/voices/wavs/LJ001-0040.wav\">"));
}

TEST(DatasetDocumentTest, ATableOfClipsIsMarkedForNarrowScreens) {
  EXPECT_THAT(on_page(sample_report()), HasSubstr("<table class=\"heard\">"));
}

TEST(DatasetDocumentTest, NothingStaysEnglishOnPersianPages) {
  DatasetReport report = report_of_every_problem();
  report.speakers = {{"علی", {2, Seconds{5}}}, {"", {1, Seconds{120}}}};

  EXPECT_EQ(english_left_in(words_of(
                render_html(report, {.file = "/pages/check.html", .list_limit = 1}, kPersian))),
            "");
}

TEST(DatasetDocumentTest, JsonStaysEnglishAndHoldsEverything) {
  const auto json = in_json(sample_report());

  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["rows"], 13'100);
  EXPECT_EQ(json["dropped"], 4);
  EXPECT_EQ(json["validation"]["utterances"], 594);
  EXPECT_EQ(json["counts"]["missing_audio"], 3);
  EXPECT_EQ(json["problems"].size(), 6U);
  EXPECT_EQ(json["problems"][2]["manifest"], "metadata_eval.csv");
  EXPECT_EQ(json["problems"][2]["severity"], "error");
  EXPECT_EQ(json["problems"][3]["detail"], "audio: 14.00 s, 1205 frames; expected at most 1024");
  EXPECT_EQ(json["problems"][4]["text"], "سلام ☃ دنیا");
  EXPECT_EQ(json["speakers"][1]["name"], "علی");
  EXPECT_EQ(json["histogram"][2]["utterances"], 3);
  EXPECT_EQ(
      json["unknown_characters"],
      nlohmann::ordered_json::parse(R"([{"character": "☃ U+2603", "occurrences": 3, "utterances": 1,
              "first": {"manifest": "metadata_train.csv", "line": 41, "id": "fa-1"}}])"));
}

TEST(DatasetDocumentTest, UnknownIsNullInJsonAndNothingAnEmptyList) {
  const auto json = in_json({});

  EXPECT_TRUE(json["train"].is_null());
  EXPECT_TRUE(json["length_s"].is_null());
  EXPECT_TRUE(json["unusable"].is_null());
  EXPECT_EQ(json["problems"], nlohmann::ordered_json::array());
  EXPECT_EQ(json["histogram"], nlohmann::ordered_json::array());
}

TEST(DatasetDocumentTest, APathThatIsNotUtf8IsStillJson) {
  DatasetReport report = sample_report();
  report.root = "/data/caf\xE9";

  EXPECT_EQ(in_json(report)["root"], "/data/caf\uFFFD");
}

TEST(DatasetDocumentTest, PagesEscapeWhatTheDataSetHolds) {
  const std::string html = on_page(sample_report());

  EXPECT_THAT(html,
              AllOf(HasSubstr("&lt;script&gt;"),
                    Not(HasSubstr("<script")),
                    HasSubstr("A &quot;long&quot; &amp; winding text"),
                    Not(HasSubstr("\x1b"))));
}

TEST(DatasetDocumentTest, NamesOnPagesHaveTheDirectionOfTheirScript) {
  EXPECT_THAT(on_page(sample_report()),
              AllOf(HasSubstr("\u2068علی\u2069 4.44 h"), HasSubstr("\u2068سلام ☃ دنیا\u2069")));
}

// But for the clips of the data set itself.
TEST(DatasetDocumentTest, PagesLoadNothingFromElsewhere) {
  EXPECT_THAT(on_page(sample_report()),
              AllOf(HasSubstr("default-src 'none'"),
                    Not(HasSubstr("://")),
                    Not(HasSubstr("src=\"//")),
                    Not(HasSubstr("<script src")),
                    Not(HasSubstr("url("))));
}

}  // namespace
}  // namespace qanat
