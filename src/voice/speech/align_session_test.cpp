#include "speech/align_session.h"

#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "locale/translator.h"
#include "speech/evaluation_renderer.h"
#include "speech/speech_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;

class AlignSessionTest : public SpeechFolderTest {
 protected:
  AlignRequest request() {
    return {.checkpoint = {.path = checkpoints()}, .data = root_, .out = root_ / "out"};
  }
  void write_manifest(const std::string& rows) {
    std::filesystem::create_directories(root_ / "wavs");
    recording("wavs/a.wav");
    recording("wavs/b.wav");
    std::ofstream(root_ / "metadata.csv") << rows;
  }
};

TEST_F(AlignSessionTest, EveryUtteranceGetsItsFiles) {
  save(nano_state());
  write_manifest("a|hello there|hello there\nb|سلام|سلام\n");

  const AlignReport report = run_alignment(request());

  EXPECT_EQ(report.aligned, 2);
  EXPECT_THAT(report.failures, testing::IsEmpty());
  EXPECT_THAT(read_text_file(root_ / "out/b.TextGrid").value(), HasSubstr("text = \"سلام\""));
}

TEST_F(AlignSessionTest, TheFramesOfTheTokensAreThoseOfTheRecording) {
  save(nano_state());
  write_manifest("a|hello there|hello there\n");

  run_alignment(request());

  const auto json = nlohmann::json::parse(read_text_file(root_ / "out/a.json").value());
  std::int64_t frames = 0;
  for (const nlohmann::json& token : json["tokens"]) {
    EXPECT_GE(token["frames"], 1);
    frames += token["frames"].get<std::int64_t>();
  }
  EXPECT_EQ(frames, 33'000 / 256);
  EXPECT_NEAR(json["tokens"].back()["end_s"].get<double>(), 33'000 / 256 * 256 / 22050.0, 1e-6);
  EXPECT_EQ(json["words"][1]["word"], "hello");
}

TEST_F(AlignSessionTest, WhatCannotBeAlignedIsNamedAndTheRestGoesOn) {
  save(nano_state());
  write_manifest("a|hello|hello\nb|there|there\n");
  std::filesystem::resize_file(root_ / "wavs/a.wav", 30);

  const AlignReport report = run_alignment(request());

  EXPECT_EQ(report.aligned, 1);
  ASSERT_EQ(report.failures.size(), 1);
  EXPECT_EQ(report.failures[0].id, "a");
}

TEST_F(AlignSessionTest, MoreTokensThanFramesAreAFailure) {
  save(nano_state());
  write_manifest("a|" + std::string(150, 'x') + "|" + std::string(150, 'x') + "\n");

  const AlignReport report = run_alignment(request());

  ASSERT_EQ(report.failures.size(), 1);
  EXPECT_THAT(Translator().said(report.failures[0].reason), HasSubstr("153 tokens in 128 frames"));
}

TEST_F(AlignSessionTest, StoppedItSaysSo) {
  save(nano_state());
  write_manifest("a|hello|hello\nb|there|there\n");
  std::stop_source stop;
  AlignRequest asked = request();
  asked.stop = stop.get_token();
  asked.progress = [&](std::int64_t, std::int64_t) { stop.request_stop(); };

  const AlignReport report = run_alignment(asked);

  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.aligned, 1);
}

class EvaluationRendererTest : public SpeechFolderTest {};

TEST_F(EvaluationRendererTest, WritesSoundAndPictureOfEverySentence) {
  const CheckpointState state = nano_state();
  EvaluationRenderer renderer(state,
                              make_text_front_end(state.text),
                              read_evaluation_sentences(std::nullopt),
                              root_ / "renders");

  const EvaluationRender render = renderer.render(500, nano_weights(state));

  EXPECT_EQ(to_event(render, 500, Seconds{0}).vocoder, "griffin-lim");
  for (const char* name :
       {"sentence-1.wav", "sentence-1.png", "sentence-2.wav", "sentence-2.png"}) {
    EXPECT_TRUE(std::filesystem::exists(root_ / "renders/step-000000500" / name)) << name;
  }
}

TEST_F(EvaluationRendererTest, EverySymbolHasItsTimeAndARecordingItsFile) {
  const CheckpointState state = nano_state();
  const std::vector<float> recording(2205, 0.25F);
  EvaluationRenderer renderer(
      state,
      make_text_front_end(state.text),
      {{.text = "Water.", .recording = recording}, {.text = "☃", .recording = recording}},
      root_ / "renders");

  const EvaluationRender render = renderer.render(500, nano_weights(state));
  const EvaluationRendered event = to_event(render, 500, Seconds{0});

  ASSERT_EQ(event.sentences.size(), 1U) << "what cannot be read aloud has no render";
  const EvaluationRendered::Sentence& sentence = event.sentences.front();
  EXPECT_TRUE(std::filesystem::exists(root_ / "renders" / sentence.recording.value()));
  ASSERT_FALSE(sentence.symbols.empty());
  EXPECT_NEAR(sentence.symbols.back().end, sentence.seconds, 1e-9);
  std::string text;
  for (const EvaluationRendered::Symbol& symbol : sentence.symbols) {
    text += symbol.symbol;
  }
  EXPECT_EQ(text, "water.");
}

TEST(EvaluationRenderTest, TheJournalNamesSentencesAndFrequencies) {
  const EvaluationRender render{.folder = "run/renders/step-000000005",
                                .sentences = {{.text = "Water.", .length = Seconds{1.5}}},
                                .mel = {}};

  const EvaluationRendered event = to_event(render, 5, Seconds{0.1});

  EXPECT_EQ(event.step, 5);
  EXPECT_EQ(event.sentences.at(0).text, "Water.");
  EXPECT_EQ(event.sentences.at(0).seconds, 1.5);
  EXPECT_EQ(event.axis.front().at, 0.0);
  EXPECT_EQ(event.axis.back().hz, 8000.0);
  EXPECT_EQ(event.axis.back().at, 1.0);
}

TEST_F(EvaluationRendererTest, SentencesComeFromAFile) {
  std::ofstream(root_ / "sentences.txt") << "Hello.\n\nسلام\r\n";

  const auto sentences = read_evaluation_sentences(root_ / "sentences.txt");

  ASSERT_EQ(sentences.size(), 2);
  EXPECT_EQ(sentences[1].text, "سلام");
  EXPECT_EQ(sentences[1].language, std::nullopt) << "the model says which languages there are";
}

TEST_F(EvaluationRendererTest, AFileWithoutSentencesIsAnError) {
  std::ofstream(root_ / "sentences.txt") << "\n";

  EXPECT_THAT(error_of([&] { read_evaluation_sentences(root_ / "sentences.txt"); }),
              HasSubstr("has none"));
}

}  // namespace
}  // namespace qanat
