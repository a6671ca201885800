#include "telemetry/tensorboard_sink.h"

#include <gmock/gmock.h>

#include "audio/wav_writer.h"
#include "base/files.h"
#include "locale/translator.h"

namespace qanat {
namespace {

std::filesystem::path fresh_sink_folder() {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                 testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  return folder;
}

std::string only_file(const std::filesystem::path& folder) {
  return read_text_file(std::filesystem::directory_iterator(folder)->path()).value();
}

std::int64_t count_of(const std::string& text, std::string_view part) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

StepRecord step_of(std::int64_t number) {
  return {.step = number, .losses = {.total = 2}, .phases = {.forward = Seconds{0.01}}};
}

TEST(TensorBoardSinkTest, AStepIsOnePointOfEveryCurve) {
  const std::filesystem::path folder = fresh_sink_folder();
  TensorBoardSink sink(folder);
  sink.record(RunStart{.last_step = 2});
  sink.record(step_of(0));
  sink.record(step_of(1));

  EXPECT_EQ(sink.finish(), std::nullopt);

  const std::string file = only_file(folder);
  EXPECT_EQ(count_of(file, "loss/total"), 2);
  EXPECT_EQ(count_of(file, "step_ms/forward"), 2);
  EXPECT_EQ(count_of(file, "speed/steps_per_second"), 2);
  EXPECT_EQ(count_of(file, "train/learning_rate"), 2);
}

TEST(TensorBoardSinkTest, AVeryLongRunHasPointsThatAreMeans) {
  const std::filesystem::path folder = fresh_sink_folder();
  TensorBoardSink sink(folder);
  sink.record(RunStart{.last_step = 10 * TensorBoardWriter::kMaxPoints});
  for (int i = 0; i < 30; ++i) {
    sink.record(step_of(i));
  }

  EXPECT_EQ(sink.finish(), std::nullopt);

  EXPECT_EQ(count_of(only_file(folder), "loss/total"), 3);
}

TEST(TensorBoardSinkTest, RenderingsAndTheVerdictAreInTheFile) {
  const std::filesystem::path folder = fresh_sink_folder();
  const std::filesystem::path renders = folder.string() + "-renders";
  std::filesystem::create_directories(renders);
  write_wav(renders / "sentence-1.wav", std::vector<float>(200, 0.1F), SampleRate{22050});
  TensorBoardSink sink(folder);
  sink.record(EvaluationRendered{.step = 5, .folder = renders.string()});
  sink.record(VerdictGiven{.text = "**input bound**"});
  sink.record(ValidationDone{.step = 5, .result = {.losses = {.mel = 1.5}}});

  EXPECT_EQ(sink.finish(), std::nullopt);

  const std::string file = only_file(folder);
  EXPECT_EQ(count_of(file, "evaluation/sentence-1"), 1);
  EXPECT_EQ(count_of(file, "RIFF"), 1);
  EXPECT_EQ(count_of(file, "**input bound**"), 1);
  EXPECT_EQ(count_of(file, "validation/mel"), 1);
  EXPECT_EQ(count_of(file, "validation/step"), 0);
}

TEST(TensorBoardSinkTest, WhatCannotBeWrittenIsSaidAndHurtsNobody) {
  const std::filesystem::path folder = fresh_sink_folder();
  const std::filesystem::path renders = folder.string() + "-renders";
  std::filesystem::create_directories(renders);
  write_text_file(renders / "sentence-1.wav", "no sound");
  TensorBoardSink sink(folder);

  sink.record(EvaluationRendered{.step = 5, .folder = renders.string()});

  EXPECT_THAT(Translator().tr(sink.finish().value()), testing::HasSubstr("not a WAV file"));
}

}  // namespace
}  // namespace qanat
