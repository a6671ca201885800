#include "report/run_junit.h"

#include <gmock/gmock.h>

#include "locale/messages/findings_data.h"
#include "locale/messages/findings_variation.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

using testing::HasSubstr;

Diagnosis sample_diagnosis() {
  Diagnosis diagnosis{.verdict = VerdictKind::input_bound, .why = msg::cause_few_workers{}};
  Finding slow;
  slow.id = "DL001";
  slow.title = msg::verbatim_text{.text = "the queue is <empty> & \"slow\""};
  slow.severity = FindingSeverity::crit;
  slow.evidence = {{metric::padding_share, 0.5}};
  slow.gain.speedup = 2;
  slow.gain.ci95 = {.low = 1.5, .high = 2.5};
  slow.fixes = {{.key = "data.num_workers", .value = "3"}};
  Finding precision;
  precision.id = "CMP003";
  precision.title = msg::verbatim_text{.text = "100 % single precision"};
  diagnosis.findings = {slow, precision};
  diagnosis.passed.push_back({.id = "PER001", .what = msg::per002_ok{}});
  diagnosis.skipped.push_back(
      {.id = "HW004", .reason = msg::verbatim_text{.text = "no GPU\x01 here"}});
  return diagnosis;
}

TEST(RunJunitTest, RulesAreTestCasesAndSevereFindingsFail) {
  const std::string xml = render_junit(sample_diagnosis(), "run \"7\"");

  EXPECT_THAT(xml,
              HasSubstr("<testsuite name=\"run &quot;7&quot;\" tests=\"5\" failures=\"1\" "
                        "errors=\"0\" skipped=\"1\">"));
  EXPECT_THAT(xml,
              HasSubstr("<failure type=\"crit\" message=\"the queue is &lt;empty&gt; &amp; "
                        "&quot;slow&quot;\">"));
  EXPECT_THAT(xml, HasSubstr("padding_share = 50.0 %&#10;try: --num-workers 3"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"no GPU  here\"/>"));
}

TEST(RunJunitTest, ARunTooShortToJudgeIsAnError) {
  const std::string xml = render_junit({.verdict = VerdictKind::incomplete}, "run");

  EXPECT_THAT(xml, HasSubstr("errors=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<error type=\"incomplete\""));
}

TEST(RunJunitTest, WhatFailsIsTheCallersChoice) {
  EXPECT_THAT(render_junit(sample_diagnosis(), "run", FindingSeverity::info),
              HasSubstr("failures=\"2\""));
}

TEST(GithubAnnotationsTest, EveryFindingIsOneLineOfItsSeverity) {
  const std::string text = render_github_annotations(sample_diagnosis());

  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_THAT(text, HasSubstr("::error title=qanat DL001::the queue is <empty> & \"slow\"%0A"));
  EXPECT_THAT(text, HasSubstr("::notice title=qanat CMP003::100 %25 single precision\n"));
}

}  // namespace
}  // namespace qanat
