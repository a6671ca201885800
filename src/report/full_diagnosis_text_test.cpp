#include "report/full_diagnosis_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run_text.h"

namespace qanat {
namespace {

using testing::HasSubstr;

Finding finding(const char* id, FindingSeverity severity, double speedup, std::vector<Fix> fixes) {
  return {.id = id,
          .title = std::string("what ") + id + " says",
          .severity = severity,
          .evidence = {{.metric = "share", .value = 0.5, .unit = "1"}},
          .gain = {.step_now = 0.1,
                   .step_if_fixed = 0.1 / speedup,
                   .speedup = speedup,
                   .ci95 = {.low = 1, .high = speedup}},
          .fixes = std::move(fixes),
          .verify = "qanat diagnose --verify X"};
}

FullDiagnosis sample() {
  FullDiagnosis full{.measured = true};
  full.sections = {{.name = "hardware", .lines = {"2 cores"}},
                   {.name = "storage", .skipped = "no data set was given"}};
  full.diagnosis.verdict = VerdictKind::input_bound;
  full.diagnosis.why = "too few workers";
  full.diagnosis.findings = {
      finding("DL002",
              FindingSeverity::crit,
              1.5,
              {{.key = "data.num_workers", .flag = "--num-workers 3", .predicted_step = 0.07}}),
      finding("DL007",
              FindingSeverity::warn,
              1.1,
              {{.key = "pipeline.bucket_edges", .flag = "--set pipeline.bucket_edges=16 (or 8)"}}),
      finding("DL005",
              FindingSeverity::warn,
              1.05,
              {{.key = "data.num_workers", .flag = "--num-workers 9"}}),
      finding("HOST008",
              FindingSeverity::warn,
              1,
              {{.key = std::string(kSystemFix), .flag = "sudo cpupower"}}),
      finding("CMP001",
              FindingSeverity::info,
              1.2,
              {{.key = "data.batch_size", .flag = "--batch-size 32"}})};
  full.diagnosis.passed = {{.id = "HOST002", .what = "no quota"}};
  full.diagnosis.skipped = {{.id = "HW004", .reason = "no GPU"}};
  return full;
}

TEST(FullDiagnosisTextTest, TheSummarySaysWhatToChangeExactly) {
  const std::string text = render_text(sample());

  EXPECT_THAT(text, testing::StartsWith("HARDWARE\n  2 cores\n"));
  EXPECT_THAT(text, HasSubstr("STORAGE\n  skipped: no data set was given\n"));
  EXPECT_THAT(text, HasSubstr("DIAGNOSTIC SUMMARY  5 found, 1 fine, 1 not checked\n"));
  EXPECT_THAT(text, HasSubstr("#1  crit DL002   what DL002 says   1.50x [1.00, 1.50]"));
  EXPECT_THAT(text, HasSubstr("#1  --num-workers 3   predicted 70.0 ms per step"));
  EXPECT_THAT(text, HasSubstr("flags  --num-workers 3 --set pipeline.bucket_edges=16\n"));
  EXPECT_THAT(text,
              HasSubstr("      data:\n        num_workers: 3\n      pipeline:\n        "
                        "bucket_edges: 16\n"));
  EXPECT_THAT(text, HasSubstr("ok       HOST002 no quota"));
  EXPECT_THAT(text, HasSubstr("skipped  HW004   no GPU"));
}

TEST(FullDiagnosisTextTest, WithoutARunThereIsNoVerdict) {
  FullDiagnosis full = sample();
  full.measured = false;
  full.diagnosis.findings.clear();

  const std::string text = render_text(full);

  EXPECT_THAT(text, testing::Not(HasSubstr("VERDICT")));
  EXPECT_THAT(text, HasSubstr("nothing is wrong with what could be checked"));
}

TEST(FullDiagnosisTextTest, TheJsonHasSectionsAndChanges) {
  const nlohmann::ordered_json json = to_json(sample());

  EXPECT_EQ(json["sections"][1]["skipped"], "no data set was given");
  EXPECT_EQ(json["changes"]["flags"], "--num-workers 3 --set pipeline.bucket_edges=16");
  EXPECT_EQ(json["findings"][0]["id"], "DL002");
  EXPECT_TRUE(json["measured"]);
}

TEST(FullDiagnosisTextTest, ItSpeaksPersianAndLeavesFlagsAsTheyAre) {
  FullDiagnosis full = sample();
  full.diagnosis.findings[0].title =
      "other programs use 40 % of the cores; the trainer waits for "
      "one 20 % of its time";

  const std::string text = render_text(full, Words(Language::fa));

  EXPECT_THAT(text, HasSubstr("سخت‌افزار"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "برنامه‌های دیگر ۴۰٪ از هسته‌ها را گرفته‌اند"));
  EXPECT_THAT(text, HasSubstr("--num-workers 3"));
}

TEST(FullDiagnosisTextTest, ValuesAreTakenFromFlags) {
  EXPECT_EQ(value_of({.key = "a.b", .flag = "--num-workers 3"}), "3");
  EXPECT_EQ(value_of({.key = "a.b", .flag = "--set a.b=precompute (after qanat precompute)"}),
            "precompute");
  EXPECT_EQ(value_of({.key = "a.b", .flag = "--enable-static-shapes"}), "true");
}

TEST(FullDiagnosisTextTest, OneReasonIsSaidOnce) {
  Diagnosis diagnosis;
  diagnosis.skipped = {{.id = "HW004", .reason = "no GPU"},
                       {.id = "DL009", .reason = "too short"},
                       {.id = "HW005", .reason = "no GPU"}};

  EXPECT_EQ(render_skipped(diagnosis, "  "),
            "  skipped  HW004 HW005\n           no GPU\n  skipped  DL009   too short\n");
}

}  // namespace
}  // namespace qanat
