#include "evaluate/evaluation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/wav_writer.h"
#include "base/error.h"
#include "evaluate/evaluate_testing.h"
#include "evaluate/evaluation_document.h"
#include "locale/translator.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

// Recordings and synthesized clips in a folder of the test's own.
class EvaluationTest : public testing::Test {
 protected:
  EvaluationTest()
      : root_(fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
  }

  void put(const std::string& file, const TestVoice& voice) {
    fs::create_directories((root_ / file).parent_path());
    write_wav(root_ / file, make_test_voice(voice), SampleRate{22050});
  }
  void put_text(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  // Five sentences; "near" is spoken much like the recording, "far" is not.
  void put_two_systems() {
    for (int i = 0; i < 8; ++i) {
      const std::string name = std::to_string(i) + ".wav";
      const double own = 1 + 0.02 * i;
      put("recorded/" + name, {.pitch = own});
      put("near/" + name, {.pitch = 1.02 * own});
      put("far/" + name, {.stretch = 1.1, .pitch = 1.2 * own, .formant = 1100});
    }
  }

  EvaluationRequest request(const std::string& made) const {
    return {.reference = root_ / "recorded", .made = root_ / made, .threads = 2};
  }

  fs::path root_;
};

std::string why_not(const Evaluation& evaluation, const std::string& name, Voice voice) {
  for (const ClipProblem& problem : evaluation.problems) {
    if (problem.name == name && problem.voice == voice) {
      return Translator().said(problem.why);
    }
  }
  return "";
}

const MeasureSummary& of_measure(const std::vector<MeasureSummary>& summaries, Measure measure) {
  return *std::ranges::find(summaries, measure, &MeasureSummary::measure);
}

TEST_F(EvaluationTest, EveryFileThatIsNotComparedIsNamedWithItsReason) {
  put("recorded/good.wav", {});
  put("recorded/lost.wav", {});
  put("recorded/broken.wav", {});
  put("recorded/twice.wav", {});
  put("made/good.wav", {});
  put("made/extra.wav", {});
  put_text("made/broken.wav", "RIFF");
  put("made/twice.wav", {});
  put_text("made/twice.flac", "fLaC");
  put_text("made/notes.txt", "not audio");

  const Evaluation evaluation = evaluate(request("made")).value();

  ASSERT_EQ(evaluation.utterances.size(), 1U);
  EXPECT_EQ(evaluation.utterances.front().name, "good");
  EXPECT_EQ(evaluation.problems.size(), 4U);
  EXPECT_EQ(why_not(evaluation, "lost", Voice::made), "no file of this name");
  EXPECT_EQ(why_not(evaluation, "extra", Voice::reference), "no file of this name");
  EXPECT_EQ(why_not(evaluation, "twice", Voice::made), "2 files have this name");
  EXPECT_NE(why_not(evaluation, "broken", Voice::made), "");
}

TEST_F(EvaluationTest, AFolderWithoutAudioIsAnError) {
  put("recorded/a.wav", {});
  put_text("made/notes.txt", "not audio");

  EXPECT_THROW(evaluate(request("made")), Error);
  EXPECT_THROW(evaluate(request("missing")), Error);
}

TEST_F(EvaluationTest, TheBetterOfTwoSystemsIsFound) {
  put_two_systems();
  EvaluationRequest both = request("near");
  both.baseline = root_ / "far";

  const std::vector<MeasureSummary> summaries = summarise(evaluate(both).value());

  const MeasureSummary& mcd = of_measure(summaries, Measure::mcd);
  EXPECT_LT(mcd.made->mean, mcd.baseline->mean);
  EXPECT_DOUBLE_EQ(mcd.difference->p_value, 2.0 / 256);
  EXPECT_EQ(outcome_of(mcd), Outcome::better);
  EXPECT_EQ(outcome_of(of_measure(summaries, Measure::pitch_cents)), Outcome::better);
}

TEST_F(EvaluationTest, ClipsThatAreTooFewToDecideAreSaidToBe) {
  for (const std::string name : {"a", "b", "c", "d", "e", "f"}) {
    put("recorded/" + name + ".wav", {});
    put("near/" + name + ".wav", {});
  }
  EvaluationRequest both = request("near");
  both.baseline = root_ / "near";

  EXPECT_THAT(render_text(to_document(evaluate(both).value())),
              testing::AllOf(testing::HasSubstr("6 clips in both systems cannot decide"),
                             testing::HasSubstr("at least 8 clips")));
}

TEST_F(EvaluationTest, EightClipsCanDecide) {
  put_two_systems();
  EvaluationRequest both = request("near");
  both.baseline = root_ / "far";

  EXPECT_THAT(render_text(to_document(evaluate(both).value())),
              testing::Not(testing::HasSubstr("cannot decide")));
}

TEST_F(EvaluationTest, ClipsWithoutACounterpartAreNotRead) {
  put_text("recorded/here.wav", "RIFF");
  put_text("made/there.wav", "RIFF");

  const Evaluation evaluation = evaluate(request("made")).value();

  // Reading would have named the damage as well.
  EXPECT_EQ(evaluation.problems.size(), 2U);
  EXPECT_EQ(why_not(evaluation, "here", Voice::made), "no file of this name");
}

TEST_F(EvaluationTest, ASystemDoesNotDifferFromItself) {
  put_two_systems();
  EvaluationRequest both = request("near");
  both.baseline = root_ / "near";

  const std::vector<MeasureSummary> summaries = summarise(evaluate(both).value());

  EXPECT_EQ(outcome_of(of_measure(summaries, Measure::mcd)), Outcome::undecided);
}

TEST_F(EvaluationTest, TheNumberOfThreadsChangesNothing) {
  put_two_systems();
  EvaluationRequest one = request("near");
  one.threads = 1;

  const Evaluation alone = evaluate(one).value();
  const Evaluation together = evaluate(request("near")).value();

  EXPECT_EQ(render_json(to_document(alone)), render_json(to_document(together)));
}

TEST_F(EvaluationTest, WithoutRecordingsWhatNeedsNoneIsMeasured) {
  put("made/a.wav", {});
  put("made/b.wav", {.seconds = 1.6});
  put("made/old.wav", {});
  EvaluationRequest alone{.made = root_ / "made", .only = {"a", "b"}, .threads = 1};
  alone.made_by = SpokenBy{.checkpoint = "voice/step-000000007",
                           .step = 7,
                           .vocoder = "griffin-lim",
                           .real_time_factors = {{"a", 0.1}, {"b", 0.3}}};

  const Evaluation evaluation = evaluate(alone).value();

  ASSERT_EQ(evaluation.utterances.size(), 2U);
  EXPECT_TRUE(evaluation.problems.empty());
  EXPECT_FALSE(evaluation.utterances.front().reference);
  const std::vector<MeasureSummary> summaries = summarise(evaluation);
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_NEAR(of_measure(summaries, Measure::length).made->mean, 1.5, 1e-3);
  EXPECT_NEAR(of_measure(summaries, Measure::real_time_factor).made->mean, 0.2, 1e-12);
  const std::string text = render_text(to_document(evaluation));
  EXPECT_NE(text.find("voice/step-000000007 (step 7), vocoder griffin-lim"), std::string::npos);
  EXPECT_NE(text.find("2 clips measured without recordings"), std::string::npos);
}

TEST_F(EvaluationTest, ALengthThatDiffersIsNeitherBetterNorWorse) {
  put_two_systems();
  EvaluationRequest both = request("near");
  both.baseline = root_ / "long";
  for (int i = 0; i < 8; ++i) {
    put("long/" + std::to_string(i) + ".wav", {.seconds = 1.6 + 0.01 * i});
  }
  both.made_by = SpokenBy{.checkpoint = "a", .vocoder = "griffin-lim"};
  both.baseline_by = SpokenBy{.checkpoint = "b", .vocoder = "griffin-lim"};

  const std::vector<MeasureSummary> summaries = summarise(evaluate(both).value());

  EXPECT_EQ(outcome_of(of_measure(summaries, Measure::length)), Outcome::different);
}

TEST_F(EvaluationTest, WordErrorsAreCountedOverAllWords) {
  put("recorded/a.wav", {});
  put("recorded/b.wav", {});
  put("made/a.wav", {});
  put("made/b.wav", {});
  EvaluationRequest asked = request("made");
  asked.texts = {{"a", {.text = "One, two."}}, {"b", {.text = "three four five six"}}};
  asked.word_errors = JudgeCommand{
      .command =
          R"(n=0; while read line; do n=$((n+1)); echo "{\"id\": $n, \"text\": \"one two\"}"; done)"};

  const Evaluation evaluation = evaluate(asked).value();

  const MeasureSummary words = of_measure(summarise(evaluation), Measure::word_errors);
  EXPECT_NEAR(words.made->mean, 4.0 / 6, 1e-12);
  EXPECT_NEAR(words.reference->mean, 4.0 / 6, 1e-12);
  EXPECT_EQ(evaluation.utterances.front().made.heard, "one two");
}

TEST_F(EvaluationTest, AClipWithoutASentenceIsAmongTheProblemsWhereWordsAreCounted) {
  put("recorded/a.wav", {});
  put("made/a.wav", {});
  EvaluationRequest asked = request("made");
  asked.word_errors = JudgeCommand{.command = "cat"};

  const Evaluation evaluation = evaluate(asked).value();

  EXPECT_EQ(why_not(evaluation, "a", Voice::reference), "no sentence for it, hence no word errors");
}

TEST_F(EvaluationTest, AClipThatACommandRefusesIsAmongTheProblems) {
  put("recorded/a.wav", {});
  put("made/a.wav", {});
  EvaluationRequest asked = request("made");
  asked.speaker_similarity =
      JudgeCommand{.command = R"(read line; echo '{"id": 1, "error": "no speech"}')"};

  const Evaluation evaluation = evaluate(asked).value();

  EXPECT_EQ(evaluation.utterances.size(), 1U);
  EXPECT_EQ(why_not(evaluation, "a", Voice::made), "the command says: no speech");
}

TEST_F(EvaluationTest, TheReportSaysHowManyAndWhichOnesAreMissing) {
  put("recorded/a.wav", {});
  put("recorded/b.wav", {});
  put("made/a.wav", {});

  const Document document = to_document(evaluate(request("made")).value());
  const std::string text = render_text(document);
  const nlohmann::ordered_json json = render_json(document);

  EXPECT_NE(text.find("1 clip compared with its recording; 1 problem with a file"),
            std::string::npos);
  EXPECT_NE(text.find("mel-cepstral distortion (dB)"), std::string::npos);
  EXPECT_EQ(json["problems"][0]["name"], "b");
  EXPECT_EQ(json["measures"][0]["measure"], "mcd_db");
  EXPECT_EQ(json["measures"][0]["made"]["mean"], 0.0);
  EXPECT_EQ(json["utterances"][0]["made"]["mcd_db"], 0.0);
  EXPECT_EQ(json["baseline"], nullptr);
}

TEST_F(EvaluationTest, TheTerminalListsTheWorstClipsAndSaysHowManyMoreThereAre) {
  put_two_systems();
  put("near/5.wav", {.pitch = 1.4, .formant = 1500});

  const std::string text = render_text(to_document(evaluate(request("near")).value(), 3));

  EXPECT_NE(text.find("5 more clips"), std::string::npos);
  EXPECT_NE(text.find("\n  5 "), std::string::npos) << text;
}

TEST_F(EvaluationTest, ThePageLoadsClipsByRelativePathsAndEscapesNames) {
  put("recorded/a&<b>.wav", {});
  put("made/a&<b>.wav", {});

  const std::string page =
      render_html(evaluate(request("made")).value(), root_ / "pages" / "page.html", Translator());

  EXPECT_NE(page.find("src=\"../recorded/a%26%3Cb%3E.wav\""), std::string::npos);
  EXPECT_NE(page.find("src=\"../made/a%26%3Cb%3E.wav\""), std::string::npos);
  EXPECT_NE(page.find("a&amp;&lt;b&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
}

TEST_F(EvaluationTest, ThePageSpeaksPersian) {
  put("recorded/a.wav", {});
  put("made/a.wav", {});

  const std::string page =
      render_html(evaluate(request("made")).value(), root_ / "page.html", Translator(Language::fa));

  EXPECT_NE(page.find("dir=\"rtl\""), std::string::npos);
  EXPECT_NE(page.find("ضبط‌شده"), std::string::npos);
  EXPECT_EQ(page.find("recording"), std::string::npos);
}

}  // namespace
}  // namespace qanat
