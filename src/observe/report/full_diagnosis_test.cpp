#include "report/full_diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/messages/findings_host.h"
#include "locale/messages/verdicts.h"
#include "report/full_diagnosis_sample.h"
#include "report/run_text.h"

namespace qanat {
namespace {

using testing::HasSubstr;

TEST(FullDiagnosisTextTest, TheSummarySaysWhatToChangeExactly) {
  const std::string text = render_text(full_diagnosis());

  EXPECT_THAT(text, testing::StartsWith("HARDWARE\n  cores to use  2\n  memory limit  no limit\n"));
  EXPECT_THAT(text, HasSubstr("STORAGE\n  skipped: no data set was given; try --data DIR\n"));
  EXPECT_THAT(text, HasSubstr("DIAGNOSTIC SUMMARY  5 found, 1 fine, 1 skipped\n"));
  EXPECT_THAT(text, HasSubstr("#1  crit DL002   what DL002 says   1.50x [1.00, 1.50]"));
  EXPECT_THAT(text, HasSubstr("#1  --num-workers 3   predicted 70.0 ms per step"));
  EXPECT_THAT(text, HasSubstr("flags  --num-workers 3 --set pipeline.bucket_edges=16\n"));
  EXPECT_THAT(text,
              HasSubstr("      data:\n        num_workers: 3\n      pipeline:\n        "
                        "bucket_edges: 16\n"));
  EXPECT_THAT(text, HasSubstr("ok       HOST002 no quota limits the CPU time"));
  EXPECT_THAT(text, HasSubstr("skipped  HW004   no GPU"));
}

TEST(FullDiagnosisTextTest, WithoutARunThereIsNoVerdict) {
  FullDiagnosis full = full_diagnosis();
  full.measured = false;
  full.diagnosis.findings.clear();

  const std::string text = render_text(full);

  EXPECT_THAT(text, testing::Not(HasSubstr("VERDICT")));
  EXPECT_THAT(text, HasSubstr("nothing is wrong with what could be checked"));
}

TEST(FullDiagnosisTextTest, TheJsonHasSectionsAndChanges) {
  const nlohmann::ordered_json json = to_json(full_diagnosis());

  EXPECT_EQ(json["sections"][0]["figures"]["cores"], 2);
  EXPECT_EQ(json["sections"][0]["lines"][1], "memory limit: no limit");
  EXPECT_EQ(json["sections"][1]["skipped"], "no data set was given; try --data DIR");
  EXPECT_TRUE(json["sections"][1]["figures"].is_null());
  EXPECT_EQ(json["changes"]["flags"], "--num-workers 3 --set pipeline.bucket_edges=16");
  EXPECT_EQ(json["findings"][0]["id"], "DL002");
  EXPECT_TRUE(json["measured"]);
}

TEST(FullDiagnosisTextTest, ItSpeaksPersianAndLeavesFlagsAsTheyAre) {
  FullDiagnosis full = full_diagnosis();
  full.diagnosis.findings[0].title = msg::host005_busy{.used = in_percent(0.4)};

  const std::string text = render_text(full, Translator(Language::fa));

  EXPECT_THAT(text, HasSubstr("سخت‌افزار"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "برنامه‌های دیگر ۴۰٪ از هسته‌ها را گرفته‌اند"));
  EXPECT_THAT(text, HasSubstr("--num-workers 3"));
}

TEST(FullDiagnosisTextTest, BrieflyTheChecksAreOneLine) {
  const std::string text = render_text(full_diagnosis(), Translator(), Detail::brief);

  EXPECT_THAT(text, HasSubstr("CHECKS  1 check passed, 1 skipped (no GPU: 1)\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("HOST002")));
}

TEST(FullDiagnosisTextTest, OneReasonIsSaidOnce) {
  Diagnosis diagnosis;
  diagnosis.skipped = {{.id = "HW004", .reason = msg::missing_gpu{}},
                       {.id = "DL009", .reason = msg::skip_too_few_steps{}},
                       {.id = "HW005", .reason = msg::missing_gpu{}}};

  EXPECT_EQ(list_checks(diagnosis, "  "),
            "  skipped  HW004 HW005\n           no GPU\n  skipped  DL009   too few steps\n");
}

}  // namespace
}  // namespace qanat
