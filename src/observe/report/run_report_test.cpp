#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/messages/findings_data.h"
#include "locale/messages/findings_transfer.h"
#include "locale/messages/verdicts.h"
#include "locale/translator.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "report/run_words.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

RunSummary starved_run() {
  RunSummary summary;
  summary.run.allowed_cores = 8;
  for (int i = 0; i < 100; ++i) {
    summary.add(StepRecord{.step = i,
                           .rows = 16,
                           .padded_frames = 400 + i % 7,
                           .frames = std::int64_t{16} * 396,
                           .phases = {.wait = Seconds{0.02},
                                      .forward = Seconds{0.03 + 0.0001 * (i % 7)},
                                      .backward = Seconds{0.05}}});
  }
  PipelineStats loader;
  loader.active_workers = 1;
  loader.workers = {{.busy = Seconds{10}}};
  loader.batches = 100;
  loader.rows = 1600;
  loader.ready.occupancy = {.empty = Seconds{9}, .partial = Seconds{1}};
  summary.pipeline = loader;
  return summary;
}

TEST(RunReportTest, TheFirstLineIsTheAnswer) {
  const std::string text = render_text(diagnose_run(starved_run()));

  EXPECT_EQ(text.substr(0, text.find('\n')),
            "VERDICT  INPUT-BOUND   20 % of the step time can be saved   "
            "1 loader worker cannot keep up, and 6.0 of 8 cores are idle");
  EXPECT_THAT(text, HasSubstr("#1  DL002"));
  EXPECT_THAT(text, HasSubstr("fix       --num-workers 2"));
  EXPECT_THAT(text, HasSubstr("may be wrong if"));
}

TEST(RunReportTest, AGainThatIsHardlyKnownIsSaidByItsLowerEnd) {
  const Gain wide{
      .step_now = 1, .step_if_fixed = 0.1, .speedup = 10, .ci95 = {.low = 3.11, .high = 31.01}};
  const Gain open{
      .step_now = 1, .step_if_fixed = 0.4, .speedup = 2.5, .ci95 = {.low = 1, .high = 9}};

  EXPECT_EQ(Translator().tr(speedup_message(wide)), "at least 3.11x");
  EXPECT_THAT(Translator().tr(gain_message(wide)), HasSubstr("321.5 ms per step at most"));
  EXPECT_EQ(Translator().tr(speedup_message(open)), "how much is open");
}

TEST(RunReportTest, FiguresWithoutABoundAreNotPrinted) {
  const std::string text = render_text(diagnose_run(starved_run()));

  EXPECT_THAT(text, HasSubstr("TIMING STATISTICS"));
  EXPECT_THAT(text, HasSubstr("p99         needs 299 steps, there are"));
  EXPECT_THAT(text, HasSubstr("STEP TIME BREAKDOWN"));
  EXPECT_THAT(text, HasSubstr("DIAGNOSTIC SUMMARY"));
}

TEST(RunReportTest, BrieflyItIsVerdictFindingsAndOneLineOfChecks) {
  const std::string text = render_text(diagnose_run(starved_run()), Translator(), Detail::brief);

  EXPECT_THAT(text, testing::StartsWith("VERDICT  INPUT-BOUND"));
  EXPECT_THAT(text, HasSubstr("    gain      1."));
  EXPECT_THAT(text, HasSubstr("    fix       --num-workers 2"));
  EXPECT_THAT(text, HasSubstr("    check     run again with the change"));
  EXPECT_THAT(text,
              testing::ContainsRegex("\nCHECKS  [0-9]+ checks passed, [0-9]+ skipped "
                                     "\\(no GPU: [0-9]+, no host readings: [0-9]+"));
  EXPECT_THAT(text, Not(HasSubstr("evidence")));
  EXPECT_THAT(text, Not(HasSubstr("TIMING STATISTICS")));
  EXPECT_THAT(text, Not(HasSubstr("PER001")));
}

TEST(RunReportTest, TheLineOfChecksHasTheSemicolonOfItsLanguage) {
  const Diagnosis diagnosis = diagnose_run(starved_run());

  EXPECT_THAT(render_text(diagnosis, Translator(), Detail::brief), HasSubstr("); `--verbose`"));
  EXPECT_THAT(render_text(diagnosis, Translator(Language::fa), Detail::brief),
              HasSubstr(")؛ \u2068`--verbose`"));
}

TEST(RunReportTest, TheJsonSaysTheSame) {
  const nlohmann::ordered_json json = to_json(diagnose_run(starved_run()));

  EXPECT_EQ(json["schema"], "qanat.report");
  EXPECT_EQ(json["verdict"]["kind"], "INPUT-BOUND");
  EXPECT_EQ(json["findings"][0]["id"], "DL002");
  EXPECT_EQ(json["findings"][0]["fixes"][0]["flag"], "--num-workers 2");
  EXPECT_TRUE(json["step_s"]["p99"].is_null());
  EXPECT_NEAR(json["ledger"]["wait"].get<double>(), 0.02, 1e-9);
}

TEST(RunReportTest, ARunTooShortToJudgeSaysSo) {
  RunSummary summary = starved_run();
  summary.steps.resize(5);

  const std::string text = render_text(diagnose_run(summary));

  EXPECT_THAT(text, HasSubstr("INCOMPLETE"));
  EXPECT_THAT(text, HasSubstr("a verdict needs 20"));
}

Diagnosis small_diagnosis() {
  Diagnosis diagnosis;
  diagnosis.verdict = VerdictKind::input_bound;
  diagnosis.why = msg::dl002_title{.workers = 2, .idle = plain(1.5, 1), .cores = 4};
  diagnosis.recoverable_share = 0.2;
  diagnosis.findings = {
      {.id = "DL002",
       .title = diagnosis.why,
       .severity = FindingSeverity::crit,
       .evidence = {{metric::workers_busy_share, 0.97}, {metric::workers, 2}},
       .gain = {.step_now = 0.1,
                .step_if_fixed = 0.08,
                .speedup = 1.25,
                .ci95 = {.low = 1.2, .high = 1.3},
                .method = GainMethod::breakdown},
       .fixes = {{.key = "data.num_workers", .value = "3", .predicted_step = 0.08}},
       .verify = msg::verify_rerun{},
       .may_be_wrong = msg::dl002_wrong_if{}}};
  diagnosis.passed = {{.id = "DL007", .what = msg::dl007_title{.share = in_percent(0.032, 1)}}};
  diagnosis.skipped = {{.id = "XY", .reason = msg::skip_unreadable{.why = "no such file"}}};
  return diagnosis;
}

TEST(RunReportTest, PersianSaysTheSameWithLatinPartsIsolated) {
  EXPECT_EQ(
      render_text(small_diagnosis(), Translator(Language::fa)),
      "حکم  INPUT-BOUND (معطل داده)   ۲۰٪ از زمان گام قابل صرفه‌جویی است   ۲ worker از پس کار برنمی‌آید، در "
      "حالی که ۱٫۵ از ۴ هسته بیکار است\n#۱  \u2068DL002\u2069 ۲ worker از پس کار برنمی‌آید، در حالی که ۱٫۵ از ۴ "
      "هسته بیکار است\n    سود       ۱٫۲۵ برابر [۱٫۲۰، ۱٫۳۰]   از ۱۰۰٫۰ میلی‌ثانیه به ۸۰٫۰ "
      "میلی‌ثانیه برای هر گام (تفکیک زمان گام)\n    شواهد     \u2068workers_busy_share\u2069 ۹۷٫۰٪ · "
      "\u2068workers\u2069 ۲\n    راه‌حل    \u2068--num-workers 3\u2069   پیش‌بینی: ۸۰٫۰ میلی‌ثانیه برای هر "
      "گام\n    بررسی     با همین تغییر دوباره اجرا کنید، سپس \u2068`qanat report JOURNAL "
      "--baseline OLD`\u2069\n    شاید نادرست، اگر  برنامه‌های دیگر گاهی همین هسته‌های بیکار را "
      "می‌گیرند\n\nخلاصهٔ تشخیص  ۱ یافته، ۱ درست، ۱ انجام‌نشده\n  درست     \u2068DL007\u2069 ۳٫۲٪ از "
      "فریم‌ها padding است\n  انجام نشد \u2068XY\u2069    خوانده نمی‌شود: \u2068no such file\u2069\n");
}

TEST(RunReportTest, AComparisonSaysWhichWay) {
  EXPECT_THAT(render_text(RunComparison{
                  .ratio = 0.9, .ci95 = {.low = 0.88, .high = 0.92}, .change = Change::slower}),
              HasSubstr("SLOWER   0.900x"));
}

TEST(RunReportTest, AComparisonOfTwoDataSetsSaysSo) {
  const std::vector<Difference> both = {{.key = "data.batch_size", .now = "8", .before = "16"},
                                        {.key = "data.train_data", .now = "a", .before = "b"}};

  EXPECT_EQ(render_text(both),
            "          the data sets differ: the ratio says little about the program\n"
            "          data.batch_size is 8, was 16\n"
            "          data.train_data is a, was b\n");
  EXPECT_EQ(render_text(std::vector<Difference>{}), "");
  EXPECT_EQ(to_json(both)[1]["before"], "b");
}

TEST(RunReportTest, AComparisonSaysWhetherTheRunIsAsSteady) {
  const RunComparison comparison{.spread = {.p_value = 0.002,
                                            .ratio = 1.8,
                                            .ci95 = {.low = 1.4, .high = 2.3},
                                            .change = Steadier::less_steady}};

  EXPECT_THAT(render_text(comparison),
              HasSubstr("LESS STEADY   1.80x its spread [1.40, 2.30], p 0.002"));
  EXPECT_EQ(to_json(comparison)["spread"]["change"], "less_steady");
  EXPECT_THAT(render_text(RunComparison{}), Not(HasSubstr("STEADY")));
}

TEST(RunReportTest, WhatIsUnknownIsNullForPrograms) {
  const nlohmann::ordered_json state = to_json(RunSnapshot{}, diagnose_run(RunSummary{}));

  EXPECT_TRUE(state.at("step").is_null());
  EXPECT_TRUE(state.at("steps_per_s").is_null());
  EXPECT_EQ(state.at("verdict"), "INCOMPLETE");
}

}  // namespace
}  // namespace qanat
