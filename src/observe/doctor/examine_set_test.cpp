#include "doctor/examine_set.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "base/files.h"
#include "doctor/doctor_testing.h"

namespace qanat {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kBad = 33;

class ExamineSetTest : public DoctorTest {
 protected:
  DoctorReport examine(int threads = 2) const {
    write_manifest();
    return *examine_set(
        {.manifest = {.data = root_, .language = {}, .text = TextUse::kept}, .threads = threads});
  }

  // The rules that clip kBad breaks; it stands last in the manifest.
  static std::vector<std::string> rules_of_last(const DoctorReport& report) {
    std::vector<std::string> rules;
    for (const ClipFinding& finding : report.findings) {
      if (finding.item + 1 == report.manifest.utterances.size()) {
        rules.emplace_back(rule_of(finding.rule).id);
      }
    }
    return rules;
  }

  DoctorReport with_bad(const std::vector<float>& samples, const std::string& text) {
    add_usual_but(kBad);
    add(kBad, samples, text);
    return examine();
  }
  DoctorReport with_bad(const std::vector<float>& samples) { return with_bad(samples, text(kBad)); }
};

TEST_F(ExamineSetTest, ACleanSetHasFewFindings) {
  add_usual_but(-1);

  const DoctorReport report = examine();

  EXPECT_LE(report.flagged, 2) << "of 80";
  EXPECT_EQ(report.all.utterances, kClips);
}

TEST_F(ExamineSetTest, LongSilenceIsTrimmedToWhatIsUsual) {
  FakeSpeech how = usual(kBad);
  how.silence = 1.5;

  const DoctorReport report = with_bad(fake_speech(how));

  EXPECT_THAT(rules_of_last(report), Contains("DOC003"));
  const auto found =
      std::ranges::find(report.findings, DoctorRuleKind::silent_ends, &ClipFinding::rule);
  ASSERT_TRUE(found->kept);
  EXPECT_NEAR(found->kept->from.count(), 1.33, 0.06);
  EXPECT_NEAR(found->kept->of.count(), 3 + how.seconds, 0.01);
  EXPECT_LT(report.good.duration, report.all.duration - Seconds(1));
}

TEST_F(ExamineSetTest, ACutStartIsFound) {
  const std::vector<float> samples = fake_speech(usual(kBad));

  EXPECT_THAT(rules_of_last(with_bad({samples.begin() + 6000, samples.end()})), Contains("DOC005"));
}

TEST_F(ExamineSetTest, WhereManyClipsBeginInsideOfSoundNoneIsAtFault) {
  for (int number = 0; number < kClips; ++number) {
    const std::vector<float> samples = fake_speech(usual(number));
    const int cut = number % 5 < 2 ? 6000 : 0;
    add(number, {samples.begin() + cut, samples.end()}, text(number));
  }

  const DoctorReport report = examine();

  EXPECT_EQ(std::ranges::count(report.findings, DoctorRuleKind::starts_inside, &ClipFinding::rule),
            0);
  EXPECT_EQ(std::ranges::count(report.skipped, DoctorRuleKind::starts_inside, &SkippedRule::rule),
            1);
}

TEST_F(ExamineSetTest, ACutEndIsFound) {
  const std::vector<float> samples = fake_speech(usual(kBad));
  const auto end = static_cast<int>((usual(kBad).silence + 0.85) * 22050);  // inside of a syllable

  EXPECT_THAT(rules_of_last(with_bad({samples.begin(), samples.begin() + end})),
              Contains("DOC006"));
}

TEST_F(ExamineSetTest, AClipTwiceIsFoundOnce) {
  const DoctorReport report = with_bad(fake_speech(usual(20)), text(20));

  EXPECT_THAT(rules_of_last(report), Contains("DOC014"));
  EXPECT_EQ(std::ranges::count(report.findings, DoctorRuleKind::same_sound, &ClipFinding::rule), 1);
}

TEST_F(ExamineSetTest, ATwinWithAnotherTextMakesBothSuspect) {
  const DoctorReport report = with_bad(fake_speech(usual(20)), text(21));

  EXPECT_EQ(std::ranges::count(report.findings, DoctorRuleKind::same_sound, &ClipFinding::rule), 2);
}

TEST_F(ExamineSetTest, AnotherVoiceIsFound) {
  FakeSpeech how = usual(kBad);
  how.pitch = 240;
  how.tilt = 0.3;

  EXPECT_THAT(rules_of_last(with_bad(fake_speech(how))), Contains("DOC018"));
}

TEST_F(ExamineSetTest, ATextOfAnotherScriptIsFound) {
  EXPECT_THAT(rules_of_last(with_bad(fake_speech(usual(kBad)), "где моя большая ложка сегодня")),
              Contains("DOC017"));
}

TEST_F(ExamineSetTest, ATextMuchTooLongIsFound) {
  std::string much;
  for (int i = 0; i < 6; ++i) {
    much += text(i) + ' ';
  }

  EXPECT_THAT(rules_of_last(with_bad(fake_speech(usual(kBad)), much)), Contains("DOC016"));
}

TEST_F(ExamineSetTest, ADamagedFileIsFoundAndTheOthersAreJudged) {
  add_usual_but(kBad);
  std::ofstream(root_ / "wavs/c033.wav") << "RIFFnothing";
  rows_ += "c033|" + text(kBad) + '\n';

  const DoctorReport report = examine();

  EXPECT_THAT(rules_of_last(report), Contains("DOC001"));
  EXPECT_GT(report.good.duration.count(), 100);
}

TEST_F(ExamineSetTest, TheReportDoesNotDependOnThreads) {
  FakeSpeech how = usual(kBad);
  how.silence = 1.5;
  add_usual_but(kBad);
  add(kBad, fake_speech(how), text(kBad));

  const DoctorReport one = examine(1);
  const DoctorReport two = examine(2);

  ASSERT_EQ(one.findings.size(), two.findings.size());
  for (std::size_t i = 0; i < one.findings.size(); ++i) {
    EXPECT_EQ(one.findings[i].item, two.findings[i].item);
    EXPECT_EQ(one.findings[i].detail, two.findings[i].detail);
  }
}

TEST_F(ExamineSetTest, FewClipsSayNothingOfWhatIsUsual) {
  for (int number = 0; number < 10; ++number) {
    add(number, fake_speech(usual(number)), text(number));
  }

  const DoctorReport report = examine();

  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_GE(report.skipped.size(), 10U);
}

TEST_F(ExamineSetTest, WhatAViewLeavesOutOrTrimsIsGoodAfterwards) {
  FakeSpeech how = usual(kBad);
  how.silence = 1.5;
  const DoctorReport before = with_bad(fake_speech(how));
  write_text_file(root_ / "view.tsv", to_text(view_of(before, Translator()), {"comment"}));

  const DoctorReport after =
      *examine_set({.manifest = {.data = root_, .language = {}, .text = TextUse::kept},
                    .view = root_ / "view.tsv"});

  EXPECT_THAT(rules_of_last(before), Contains("DOC003"));
  EXPECT_THAT(rules_of_last(after), Not(Contains("DOC003")));
  EXPECT_NEAR(after.all.duration.count(), before.good.duration.count(), 0.1);
}

}  // namespace
}  // namespace qanat
