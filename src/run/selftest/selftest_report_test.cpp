#include <algorithm>

#include <gtest/gtest.h>

#include "diagnose/rules.h"
#include "report/golden_testing.h"
#include "selftest/selftest.h"

namespace qanat {
namespace {

SelftestRow row_of(std::vector<std::string> expected, bool right) {
  return {.fault = "a", .strength = "1", .expected = std::move(expected), .right = right};
}

TEST(SelftestReportTest, NineInTenFaultsHaveToBeFound) {
  SelftestReport report;
  for (int i = 0; i < 10; ++i) {
    report.rows.push_back(row_of({"DL001"}, i != 0));
  }
  EXPECT_TRUE(report.passed());

  report.rows[1].right = false;

  EXPECT_FALSE(report.passed());
  EXPECT_DOUBLE_EQ(report.right_share(), 0.8);
}

TEST(SelftestReportTest, AFalseAlarmAmongAFewHealthyRunsIsTooMany) {
  SelftestReport report;
  report.rows = {row_of({"DL001"}, true), row_of({}, true), row_of({}, false)};

  EXPECT_FALSE(report.passed());
  EXPECT_DOUBLE_EQ(report.false_alarm_share(), 0.5);
}

TEST(SelftestReportTest, PredictionsAreHeldToTheirMedian) {
  SelftestReport report;
  for (const double predicted : {0.0101, 0.0102, 0.02}) {
    report.rows.push_back(row_of({"DL001"}, true));
    report.rows.back().predicted = predicted;
    report.rows.back().realised = 0.01;
  }

  EXPECT_NEAR(*report.median_error(), 0.02, 1e-9);
  EXPECT_TRUE(report.passed());
  report.rows[1].predicted = 0.0108;
  EXPECT_FALSE(report.passed());
}

TEST(SelftestReportTest, AFalseAlarmOnABusyMachineIsNotTheDiagnosisFault) {
  SelftestReport report;
  report.rows = {row_of({"DL001"}, true), row_of({}, true), row_of({}, false)};
  report.rows[2].disturbed = true;

  EXPECT_TRUE(report.passed());
  EXPECT_TRUE(report.too_busy());
  const std::string text = render_text(to_document(report));
  EXPECT_NE(text.find("SELFTEST BUSY MACHINE"), std::string::npos);
  EXPECT_NE(text.find("BUSY     a"), std::string::npos);
  EXPECT_EQ(render_json(to_document(report))["busy_machine"], true);
}

TEST(SelftestReportTest, GoldenReport) {
  SelftestReport report;
  report.rows = {
      {.fault = "slow storage",
       .strength = "3 ms per file",
       .expected = {"DL001", "IO001"},
       .found = "DL001",
       .title = "storage is slow",
       .right = true,
       .step_now = 0.012,
       .predicted = 0.0082,
       .realised = 0.008},
      {.fault = "healthy", .strength = "plain", .right = true, .step_now = 0.008},
      {.fault = "slow link", .strength = "20 MB/s", .expected = {"XFER001"}, .step_now = 0.02}};

  expect_golden("selftest.en.txt", render_text(to_document(report)));
  expect_golden("selftest.fa.txt", render_text(to_document(report), Translator(Language::fa)));
  expect_golden("selftest.json", render_json(to_document(report)).dump(2) + "\n");
}

TEST(SelftestReportTest, WhatIsRightOnABusyMachineCounts) {
  SelftestReport report;
  report.rows = {row_of({"DL001"}, true)};
  report.rows[0].disturbed = true;
  report.rows[0].predicted = 0.02;  // but what it took with the fix does not
  report.rows[0].realised = 0.01;

  EXPECT_TRUE(report.passed());
  EXPECT_FALSE(report.too_busy());
  EXPECT_EQ(report.median_error(), std::nullopt);
}

TEST(SelftestReportTest, AMissOnAnIdleMachineFailsWhateverOthersDidLater) {
  SelftestReport report;
  report.rows = {row_of({"DL001"}, false), row_of({}, false)};
  report.rows[1].disturbed = true;

  EXPECT_FALSE(report.passed());
}

TEST(SelftestReportTest, EveryFaultExpectsRulesThatExistAndHealthyRunsNone) {
  for (const InjectedFault& fault : injected_faults(SelftestSize::full)) {
    EXPECT_EQ(fault.expected.empty(), fault.name == "healthy");
    EXPECT_EQ(fault.remedy == Remedy::none, fault.name == "healthy");
    for (const std::string& id : fault.expected) {
      EXPECT_NE(std::ranges::find(all_rules(), id, &Rule::id), all_rules().end()) << id;
    }
  }
}

}  // namespace
}  // namespace qanat
