#include "app/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session_testing.h"
#include "app/validate_run.h"
#include "report/persian.h"

namespace qanat {
namespace {

using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

const Words kPersian(Language::fa);

// The findings that a Persian report leaves English.
std::vector<std::string> english_findings(const ValidationReport& report) {
  std::vector<std::string> english;
  for (const ValidationCheck& check : report.checks) {
    for (const std::string& line : check.findings) {
      const std::size_t begin = line.find_first_not_of(' ');
      if (!has_persian(line.substr(begin))) {
        english.push_back(line);
      }
    }
    if (!has_persian(check.name)) {
      english.push_back(check.name);
    }
  }
  return english;
}

RunConfig on_two_gpus(const SmallDataSet& data) {
  RunConfig config = data.config();
  config.pipeline.virtual_gpus = 2;
  config.pipeline.virtual_gpu_memory = Megabytes{512};
  return config;
}

TEST(ValidateTest, PassesItsFiveChecksOnTwoVirtualGpus) {
  const SmallDataSet data;
  std::vector<int> told;

  const ValidationReport report = validate(
      {.config = on_two_gpus(data), .steps = 3, .on_check = [&](const ValidationCheck& check) {
         told.push_back(check.number);
       }});

  EXPECT_THAT(told, testing::ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(report.checks, Each(Field(&ValidationCheck::outcome, CheckOutcome::pass)));
  EXPECT_TRUE(report.passed());
  EXPECT_GT(report.dual->data_busy.value(), 0);
  EXPECT_EQ(report.checks[2].figures.at("on_data_mb"), 0);
  EXPECT_TRUE(report.checks[3].figures.at("model_to_data").at("exact"));
  EXPECT_FALSE(mode_verdict(report).empty());
  EXPECT_THAT(english_findings(report), IsEmpty());
}

TEST(ValidateTest, FailsThePlacementWithoutGpusAndSkipsTheRest) {
  const SmallDataSet data;

  const ValidationReport report = validate({.config = data.config(), .steps = 3});

  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.checks[0].outcome, CheckOutcome::pass);
  EXPECT_EQ(report.checks[1].outcome, CheckOutcome::fail);
  EXPECT_THAT(report.checks[1].findings.front(), HasSubstr("requires at least 2 GPUs, found 0"));
  EXPECT_EQ(report.checks[4].outcome, CheckOutcome::skipped);
  EXPECT_THAT(english_findings(report), IsEmpty());
}

TEST(ValidateTest, FailsWithoutData) {
  RunConfig config;
  config.data.train_data = "/nonexistent/folder";

  const ValidationReport report = validate({.config = config, .steps = 3});

  EXPECT_EQ(report.checks[0].outcome, CheckOutcome::fail);
  EXPECT_THAT(english_findings(report), IsEmpty());
}

TEST(ValidateTest, AStopSkipsWhatHasNotBegun) {
  const SmallDataSet data;
  std::stop_source stop;

  const ValidationReport report = validate({.config = on_two_gpus(data),
                                            .steps = 1000000,
                                            .stop = stop.get_token(),
                                            .on_check = [&](const ValidationCheck& check) {
                                              if (check.number == 4) {
                                                stop.request_stop();
                                              }
                                            }});

  EXPECT_EQ(report.checks[4].outcome, CheckOutcome::skipped);
}

TEST(ModeVerdictTest, SaysWhenTwoDevicesDoNotPay) {
  ValidationReport report;
  EXPECT_EQ(mode_verdict(report), "");
  report.single = ModeRun{.steps_per_s = 10};

  report.dual = ModeRun{.steps_per_s = 15};
  EXPECT_THAT(mode_verdict(report), HasSubstr("dual beats single here: 15.00 against 10.00"));
  report.dual = ModeRun{.steps_per_s = 8};
  EXPECT_THAT(mode_verdict(report), HasSubstr("dual does not pay here"));
  report.dual = ModeRun{.steps_per_s = 10.2};
  EXPECT_THAT(mode_verdict(report), HasSubstr("equally fast"));
}

TEST(ModeVerdictTest, HasPersianForEveryOutcome) {
  ValidationReport report;
  report.single = ModeRun{.steps_per_s = 10};

  report.dual = ModeRun{.steps_per_s = 15};
  EXPECT_THAT(
      render_summary(report, kPersian),
      HasSubstr(
          "این‌جا دو دستگاه از یکی تندتر است: ۱۵٫۰۰ در برابر ۱۰٫۰۰ گام در ثانیه"));
  report.dual = ModeRun{.steps_per_s = 8};
  EXPECT_THAT(render_summary(report, kPersian),
              HasSubstr("این‌جا دو دستگاه به‌صرفه نیست: ۸٫۰۰"));
  report.dual = ModeRun{.steps_per_s = 10.2};
  EXPECT_THAT(render_summary(report, kPersian), HasSubstr("به یک اندازه تندند: ۱۰٫۲۰"));
}

TEST(RenderCheckTest, SpeaksPersian) {
  const ValidationCheck check{.number = 2,
                              .name = "placement",
                              .outcome = CheckOutcome::pass,
                              .findings = {"model: virtual:1, virtual GPU (emulated), 1 core, "
                                           "512 MB",
                                           "        data device busy 12 %",
                                           "something from elsewhere"}};

  EXPECT_EQ(
      render_check(check, kPersian),
      "[۲/۵] جایگذاری                     موفق\n      مدل: \u2068virtual:1\u2069، GPU مجازی (شبیه‌سازی)، "
      "۱ هسته، ۵۱۲ مگابایت\n              دستگاهِ داده ۱۲٪ مشغول\n      \u2068something from "
      "elsewhere\u2069\n");
}

TEST(RenderCheckTest, CountsInPersian) {
  ValidationReport report;
  report.checks = {{.number = 1, .name = "prerequisites", .outcome = CheckOutcome::pass},
                   {.number = 2, .name = "placement", .outcome = CheckOutcome::fail}};

  EXPECT_EQ(render_summary(report, kPersian), "\nناموفق: ۱ از ۲ آزمون گذشت\n");
  EXPECT_EQ(render_summary(report), "\nFAIL: 1 of 2 checks passed\n");
}

}  // namespace
}  // namespace qanat
