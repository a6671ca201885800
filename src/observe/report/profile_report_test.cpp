#include "report/profile_report.h"

#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/messages/verdicts.h"
#include "report/profile_parts.h"
#include "report/profile_sample.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ProfileReportTest, AStepProfileSaysTheSameAsJson) {
  const nlohmann::ordered_json json = render_json(to_document(step_profile()));

  EXPECT_EQ(json["phases"][0]["name"], "data wait");
  EXPECT_TRUE(json["phases"][0]["p99"].is_null());
  EXPECT_EQ(json["cached_probe"]["outcome"], "confirmed");
  EXPECT_EQ(json["recommended"][0]["flag"], "--num-workers 2");
  EXPECT_EQ(json["report"]["verdict"]["kind"], "INPUT-BOUND");
}

TEST(ProfileReportTest, PercentilesThatCannotBeBoundedSayWhatIsMissing) {
  std::vector<MessageArg> remarks;
  add_missing_percentiles(sample_times(1, 40), remarks);
  add_missing_percentiles(sample_times(1, 100), remarks);

  EXPECT_EQ(Translator().said(remarks[0]), "p95 needs 59 values and p99 needs 299; there are 40");
  EXPECT_EQ(Translator().said(remarks[1]), "p99 needs 299 values; there are 100");
}

// What is left English in a Persian text, names and flags aside: three words of prose in a row.
std::vector<std::string> english_in(const std::string& text) {
  static const std::regex prose("[a-z]+ [a-z]+ [a-z]{3,}");
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), prose);
       at != std::sregex_iterator();
       ++at) {
    found.push_back(at->str());
  }
  return found;
}

TEST(ProfileReportTest, AStarvedTrainerIsNeverToldThatNothingIsWorthChanging) {
  DataProfile profile = data_profile();
  profile.recommended.clear();
  for (const VerdictKind kind : {VerdictKind::balanced, VerdictKind::input_bound}) {
    profile.diagnosis.emplace().verdict = kind;

    const std::string text = render_text(to_document(profile));

    EXPECT_THAT(text, HasSubstr("VERDICT  STARVED"));
    EXPECT_THAT(text, Not(HasSubstr("nothing worth changing")));
    EXPECT_THAT(english_in(render_text(to_document(profile), Translator(Language::fa))), IsEmpty());
  }
}

TEST(ProfileReportTest, ATrainerThatWaitsForAFewPercentIsFed) {
  DataProfile profile = data_profile();
  profile.wait_share = 0.026;

  const std::string text = render_text(to_document(profile));

  EXPECT_THAT(text, HasSubstr("VERDICT  FED"));
  EXPECT_THAT(text, HasSubstr("2.6 %"));
}

TEST(ProfileReportTest, WithoutASettingThatHelpsTheFindingsAreReferredTo) {
  StepProfile profile = step_profile();
  profile.recommended.clear();

  EXPECT_THAT(render_text(to_document(profile)), HasSubstr("the findings say what does"));
}

TEST(ProfileReportTest, WithoutAPaceThereIsARateAndNoVerdict) {
  DataProfile profile = data_profile();
  profile.measured.step.reset();
  profile.wait_share.reset();
  profile.recommended.clear();

  const std::string text = render_text(to_document(profile));

  EXPECT_EQ(
      text.substr(0, text.find('\n')),
      "RATE  900 s of speech and 20.0 batches per second: enough for steps of 50 ms or longer");
  EXPECT_TRUE(render_json(to_document(profile))["wait_share"].is_null());
}

TEST(ProfileReportTest, ASweepSaysTheSameAsJson) {
  const nlohmann::ordered_json json = render_json(to_document(sweep_report()));

  EXPECT_EQ(json["recommended"]["workers"], 2);
  EXPECT_EQ(json["recommended"]["batch"], 16);
  EXPECT_EQ(json["recommended"]["other_batch"]["batch"], 32);
  EXPECT_TRUE(json["cells"][3]["rate"].is_null());
}

TEST(ProfileReportTest, ADualProfileSaysTheSameAsJson) {
  const nlohmann::ordered_json json = render_json(to_document(dual_profile()));

  EXPECT_EQ(json["verdict"], "TWO DEVICES PAY");
  EXPECT_TRUE(json["single"]["data_device"].is_null());
  EXPECT_TRUE(json["dual"]["model_device"]["memory_limit_bytes"].is_null());
  EXPECT_DOUBLE_EQ(json["efficiency"].get<double>(), 0.976);
}

TEST(ProfileReportTest, WithoutAVerdictTheReasonStandsInItsPlace) {
  DualProfile profile;
  profile.diagnosis.why = msg::why_too_few_steps{.steps = 5, .needed = 20};

  profile.diagnosis.verdict = VerdictKind::incomplete;
  EXPECT_THAT(render_text(to_document(profile)), HasSubstr("INCOMPLETE\n  reason  5 steps after"));

  profile.diagnosis.verdict = VerdictKind::balanced;  // of the run on two devices
  profile.single.measures.steady.resize(17);
  EXPECT_THAT(render_text(to_document(profile)), HasSubstr("INCOMPLETE\n  reason  17 steps after"));
}

TEST(ProfileReportTest, AStepProfileIsPersianThroughout) {
  EXPECT_THAT(english_in(render_text(to_document(step_profile()), Translator(Language::fa))),
              IsEmpty());
}

TEST(ProfileReportTest, ADataProfileIsPersianThroughout) {
  EXPECT_THAT(english_in(render_text(to_document(data_profile()), Translator(Language::fa))),
              IsEmpty());
}

TEST(ProfileReportTest, ASweepIsPersianThroughout) {
  const std::string text = render_text(to_document(sweep_report()), Translator(Language::fa));

  EXPECT_THAT(english_in(text), IsEmpty()) << text;
  EXPECT_THAT(text, HasSubstr("--num-workers"));
}

TEST(ProfileReportTest, ADualProfileIsPersianThroughout) {
  EXPECT_THAT(english_in(render_text(to_document(dual_profile()), Translator(Language::fa))),
              IsEmpty());
}

}  // namespace
}  // namespace qanat
