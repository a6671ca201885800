#include "config/check_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Capabilities kEverything{.trainer = true, .gpu = true, .cuda = true};

std::vector<std::string> notes_of(const std::string& yaml, const Capabilities& capabilities) {
  std::vector<std::string> notes;
  for (const Message& note : inert_notes(load_config_text(yaml, "c.yaml"), capabilities)) {
    notes.push_back(Translator().tr(note));
  }
  return notes;
}

TEST(CheckConfigTest, TheDefaultsHaveNoProblemsAndNoNotes) {
  EXPECT_THAT(problems(RunConfig{}), IsEmpty());
  EXPECT_THAT(inert_notes(LoadedConfig{}, Capabilities{}), IsEmpty());
}

TEST(CheckConfigTest, OneGpuWithoutTheOtherIsAProblem) {
  RunConfig config;
  config.data.data_gpu = 0;

  const std::vector<Problem> found = problems(config);

  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].key, "data.data_gpu");
  EXPECT_THAT(to_string(found[0]),
              HasSubstr("data.model_gpu is missing; Multi-GPU mode needs both"));
}

TEST(CheckConfigTest, TheSameGpuTwiceIsAProblem) {
  RunConfig config;
  config.data.data_gpu = 1;
  config.data.model_gpu = 1;

  const std::vector<Problem> found = problems(config);

  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(to_string(found[0]), HasSubstr("the same GPU as data.data_gpu: 1"));
}

TEST(CheckConfigTest, AUrlWithASecretIsAProblemThatDoesNotRepeatIt) {
  RunConfig config;
  config.data.train_data = "https://me:very-secret@host/x.tar";
  config.data.val_data = "https://host/x.tar?X-Amz-Signature=very-secret";

  const std::vector<Problem> found = problems(config);

  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].key, "data.train_data");
  EXPECT_EQ(found[1].key, "data.val_data");
  for (const Problem& problem : found) {
    EXPECT_THAT(to_string(problem), testing::Not(HasSubstr("very-secret")));
  }
}

TEST(CheckConfigTest, SettingsOfStoresNeedAUrl) {
  const std::string settings =
      "  store_timeout: 5\n  store_requests: 2\n  store_cache: 7\n  store_cache_dir: x\n";

  EXPECT_EQ(notes_of("data:\n  train_data: corpus\n" + settings, kEverything).size(), 4);
  EXPECT_THAT(notes_of("data:\n  train_data: s3://b/x.tar\n" + settings, kEverything), IsEmpty());
}

TEST(CheckConfigTest, TheOrderOfTheGpusIsFree) {
  RunConfig config;
  config.data.data_gpu = 1;
  config.data.model_gpu = 0;

  EXPECT_THAT(problems(config), IsEmpty());
}

TEST(CheckConfigTest, ResumeAndInitFromContradictEachOther) {
  RunConfig config;
  config.training.resume = true;
  config.training.init_from = "other";

  const std::vector<Problem> found = problems(config);

  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].key, "training.init_from");
  EXPECT_THAT(to_string(found[0]), HasSubstr("contradicts training.resume"));
}

TEST(CheckConfigTest, FreezingEverythingIsAProblem) {
  RunConfig config;
  config.training.freeze.emplace();
  for (const Choice<ModelPart>& part : kChoices<ModelPart>) {
    config.training.freeze->push_back(part.value);
  }

  ASSERT_EQ(problems(config).size(), 1);
  EXPECT_THAT(to_string(problems(config)[0]), HasSubstr("nothing would be trained"));

  config.training.freeze->pop_back();
  EXPECT_THAT(problems(config), IsEmpty());
}

TEST(CheckConfigTest, ResumeAndResetContradictEachOther) {
  RunConfig config;
  config.training.resume = true;
  config.training.reset_training = true;

  EXPECT_EQ(problems(config).size(), 1);
}

TEST(CheckConfigTest, AFrameBudgetHoldsTheLongestUtterance) {
  RunConfig config;
  config.pipeline.frame_budget = config.data.max_mel_frames - 1;

  EXPECT_EQ(problems(config).size(), 1);
}

TEST(CheckConfigTest, XlaSaysThatThereIsNone) {
  EXPECT_THAT(notes_of("training:\n  enable_xla_compilation: true\n", kEverything),
              ElementsAre("training.enable_xla_compilation (c.yaml:2) has no effect: there is no "
                          "TensorFlow here, so there is no XLA"));
}

TEST(CheckConfigTest, GraphModeSaysThatItNeedsCuda) {
  const std::string yaml = "training: {enable_graph_mode: true}";

  EXPECT_THAT(notes_of(yaml, kEverything), IsEmpty());
  EXPECT_THAT(notes_of(yaml, {.trainer = true, .gpu = true, .cuda = false}),
              ElementsAre(HasSubstr("graph mode needs CUDA")));
}

TEST(CheckConfigTest, TheOtherLoaderSaysThatThereIsOnlyOne) {
  EXPECT_THAT(notes_of("data: {use_tf_native_loading: false}", kEverything),
              ElementsAre(HasSubstr("the native loader is the only one")));
  EXPECT_THAT(notes_of("data: {use_tf_native_loading: true}", kEverything), IsEmpty());
}

TEST(CheckConfigTest, AKeyThatAsksForNothingSaysNothing) {
  EXPECT_THAT(notes_of("training: {enable_xla_compilation: false}", kEverything), IsEmpty());
  EXPECT_THAT(notes_of("data: {prefetch_to_gpu: false, prefetch_buffer_size: auto}",
                       {.trainer = true, .gpu = false, .cuda = false}),
              IsEmpty());
}

TEST(CheckConfigTest, PrefetchingSaysThatThereIsNoDevice) {
  EXPECT_THAT(notes_of("data: {prefetch_to_gpu: true, prefetch_buffer_size: 4}",
                       {.trainer = true, .gpu = false, .cuda = false}),
              ElementsAre(HasSubstr("data.prefetch_buffer_size"), HasSubstr("no GPU to copy to")));
}

TEST(CheckConfigTest, WithoutATrainerItsKeysAreNamedInOneSentence) {
  EXPECT_THAT(notes_of("training: {epochs: 3, seed: 1}\nmodel: {size: big}", Capabilities{}),
              ElementsAre("2 keys are checked and kept, but this build has no trainer that reads "
                          "them: model.size, training.epochs"));
}

struct ShadowCase {
  const char* yaml;
  const char* key;
};
class CheckConfigShadowTest : public testing::TestWithParam<ShadowCase> {};
TEST_P(CheckConfigShadowTest, IsNoted) {
  EXPECT_THAT(notes_of(GetParam().yaml, kEverything),
              ElementsAre(HasSubstr(std::string(GetParam().key) + " (c.yaml:1) has no effect: ")));
}
INSTANTIATE_TEST_SUITE_P(
    Keys,
    CheckConfigShadowTest,
    testing::Values(
        ShadowCase{"pipeline: {data_gpu_memory: 4096}", "pipeline.data_gpu_memory"},
        ShadowCase{"pipeline: {model_gpu_memory: 4096}", "pipeline.model_gpu_memory"},
        ShadowCase{"pipeline: {data_gpu_memory: 4096, enable_memory_isolation: true}",
                   "pipeline.data_gpu_memory"},
        ShadowCase{"pipeline: {virtual_gpu_memory: 512}", "pipeline.virtual_gpu_memory"},
        ShadowCase{"{data: {enable_static_shapes: off}, pipeline: {bucket_edges: 4}}",
                   "pipeline.bucket_edges"},
        ShadowCase{"data: {val_split: 0.1, val_data: v}", "data.val_split"},
        ShadowCase{"data: {split_seed: 1, val_data: v}", "data.split_seed"},
        ShadowCase{"{data: {batch_size: 8}, pipeline: {frame_budget: 9000}}", "data.batch_size"},
        ShadowCase{"data: {feature_dir: f, preprocessing_mode: runtime}", "data.feature_dir"},
        ShadowCase{"{pipeline: {feature_cache: 64}, training: {epochs: 1}}",
                   "pipeline.feature_cache"},
        ShadowCase{"{pipeline: {feature_cache: 64}, data: {preprocessing_mode: precompute}}",
                   "pipeline.feature_cache"},
        ShadowCase{"data: {optimize_cpu_gpu_overlap: on, num_workers: 2, pipeline_buffer_size: 4}",
                   "data.optimize_cpu_gpu_overlap"}));

TEST(CheckConfigTest, ShardsAreNotReadWhereAGpuMakesTheFeatures) {
  Capabilities two_gpus = kEverything;
  two_gpus.multi_gpu = true;

  EXPECT_THAT(notes_of("data: {preprocessing_mode: precompute}", two_gpus),
              ElementsAre(HasSubstr("data.preprocessing_mode (c.yaml:1) has no effect: ")));
  EXPECT_TRUE(notes_of("data: {preprocessing_mode: precompute}", kEverything).empty());
}

TEST(CheckConfigTest, StepsThatWereGivenWinOverEpochsThatWereNot) {
  TrainingConfig training;
  EXPECT_EQ(num_epochs(training), 500);

  training.max_steps = 4000;
  EXPECT_EQ(num_epochs(training), std::nullopt);

  training.epochs = 3;
  EXPECT_EQ(num_epochs(training), 3);
}

TEST(CheckConfigTest, ThereIsNoBigVocoder) {
  RunConfig config;
  config.training.task = TrainingTask::vocoder;
  config.model.size = ModelSize::big;

  ASSERT_EQ(problems(config).size(), 1);
  EXPECT_THAT(to_string(problems(config)[0]),
              HasSubstr("there is no vocoder of this size; expected nano, tiny, small or normal"));
}

TEST(CheckConfigTest, OnlyAVocoderLearnsFromPredictedMel) {
  RunConfig config;
  config.vocoder.mel_from = "speech";

  ASSERT_EQ(problems(config).size(), 1);
  EXPECT_THAT(to_string(problems(config)[0]),
              HasSubstr("vocoder.mel_from: is read only when a vocoder is trained; expected "
                        "training.task vocoder; try --task vocoder"));

  config.training.task = TrainingTask::vocoder;
  EXPECT_TRUE(problems(config).empty());
}

// The speech model reads texts for it.
TEST(CheckConfigTest, PredictedMelDependsOnTheLanguageAndTheLongestUtterance) {
  EXPECT_THAT(notes_of("training: {task: vocoder}\nvocoder: {mel_from: speech}\n"
                       "data: {language: fa, max_mel_frames: 900}\n",
                       kEverything),
              ElementsAre());
}

TEST(CheckConfigTest, WhatTheOtherTaskReadsIsSaidToHaveNoEffect) {
  EXPECT_THAT(notes_of("training: {task: vocoder}\ndata: {use_phonemes: true}\n", kEverything),
              ElementsAre(HasSubstr("data.use_phonemes (c.yaml:2) has no effect: training.task "
                                    "is vocoder")));
  EXPECT_THAT(notes_of("vocoder: {stft_weight: 2}\n", kEverything),
              ElementsAre(HasSubstr("has no effect: training.task is not vocoder")));
}

}  // namespace
}  // namespace qanat
