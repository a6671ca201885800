#include "config/load_config.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "config/yaml_document.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

RunConfig values_of(const std::string& yaml) {
  return load_config_text(yaml, "c.yaml").values;
}

// Each problem as its line.
std::vector<std::string> problems_of(const std::string& yaml) {
  std::vector<std::string> lines;
  try {
    load_config_text(yaml, "c.yaml");
  } catch (const ConfigError& error) {
    for (const Problem& problem : error.problems()) {
      lines.push_back(to_string(problem));
    }
  }
  return lines;
}

std::vector<Assignment> flags(const char* key, const char* text, const char* origin) {
  std::vector<Assignment> one(1);
  one[0].key = key;
  one[0].value.text = text;
  one[0].origin = origin;
  return one;
}

TEST(LoadConfigTest, ValuesOfEveryKindAreRead) {
  const RunConfig config = values_of(R"(
data:
  batch_size: 32
  train_data: corpus/صدا
  model_start_delay: 0.5
  preprocessing_mode: precompute
  use_phonemes: yes
  data_gpu: 0
  model_gpu: 1
model: {size: small}
training:
  learning_rate: 1e-4
  epochs: 1e3
  mixed_precision: on
pipeline:
  feature_cache: 512
)");

  EXPECT_EQ(config.data.batch_size, 32);
  EXPECT_EQ(config.data.train_data, "corpus/صدا");
  EXPECT_EQ(config.data.model_start_delay, Seconds(0.5));
  EXPECT_EQ(config.data.preprocessing_mode, PreprocessingMode::precompute);
  EXPECT_TRUE(config.data.use_phonemes);
  EXPECT_EQ(config.data.model_gpu, 1);
  EXPECT_EQ(config.model.size, ModelSize::small);
  EXPECT_EQ(config.training.learning_rate, 1e-4);
  EXPECT_EQ(config.training.epochs, 1000);
  EXPECT_EQ(config.training.mixed_precision, true);
  EXPECT_EQ(config.pipeline.feature_cache, Megabytes{512});
}

TEST(LoadConfigTest, GpusAreOneForEachProcess) {
  const RunConfig config = values_of("data: {data_gpu: \"0,2\", model_gpu: \"1,3\"}");

  EXPECT_EQ(config.data.data_gpu, GpuList(std::vector<int>{0, 2}));
  EXPECT_EQ(config.data.model_gpu->of(1), 3);
  EXPECT_THAT(problems_of("data: {data_gpu: \"0,\", model_gpu: 1}"),
              ElementsAre(HasSubstr("GPU numbers from 0 to 1023, separated by commas")));
  EXPECT_THAT(problems_of("data: {data_gpu: \"0,2\", model_gpu: 1}"),
              ElementsAre(HasSubstr("1 GPUs that train and 2 that compute features")));
}

TEST(LoadConfigTest, AListOfPartsHasCommasAndNoPartTwice) {
  EXPECT_EQ(values_of("training: {freeze: \"decoder, symbols\"}").training.freeze,
            (std::vector<ModelPart>{ModelPart::decoder, ModelPart::symbols}));
  EXPECT_EQ(values_of("training: {freeze: aligner}").training.freeze,
            std::vector<ModelPart>{ModelPart::aligner});
  EXPECT_EQ(values_of("training: {freeze: none}").training.freeze, std::nullopt);
  EXPECT_THAT(problems_of("training: {freeze: \"decoder,decoder\"}"),
              ElementsAre(HasSubstr("each once, separated by commas")));
  EXPECT_THAT(problems_of("training: {freeze: decodr}"), ElementsAre(HasSubstr("decoder")));
}

TEST(LoadConfigTest, WhatIsNotGivenKeepsItsDefault) {
  EXPECT_EQ(values_of("data:\n"), RunConfig{});
}

TEST(LoadConfigTest, AutoAndNoneMeanNoValue) {
  const RunConfig config =
      values_of("data: {num_workers: auto, train_data: none, pipeline_buffer_size: ~, val_data: }");

  EXPECT_EQ(config, RunConfig{});
}

TEST(LoadConfigTest, AWordInQuotesIsText) {
  EXPECT_EQ(values_of("data: {train_data: \"none\"}").data.train_data, "none");
}

TEST(LoadConfigTest, ByteOrderMarkAndWindowsLineEndsAreTolerated) {
  EXPECT_EQ(values_of("\xef\xbb\xbf"
                      "data:\r\n  batch_size: 8\r\n")
                .data.batch_size,
            8);
}

TEST(LoadConfigTest, AnUnknownKeyNamesItsPlaceAndTheNearestKey) {
  EXPECT_THAT(
      problems_of("data:\n  batch_size: 8\n  num_wokers: 4\n"),
      ElementsAre("c.yaml:3:3: data.num_wokers: unknown key; did you mean data.num_workers?"));
}

TEST(LoadConfigTest, AKeyInTheWrongSectionIsSentToItsOwn) {
  EXPECT_THAT(
      problems_of("data:\n  mixed_precision: true\n"),
      ElementsAre(
          "c.yaml:2:3: data.mixed_precision: unknown key; did you mean training.mixed_precision?"));
}

TEST(LoadConfigTest, AKeyOutsideOfAnySectionIsSentToItsSection) {
  EXPECT_THAT(problems_of("batch_size: 8\n"),
              ElementsAre("c.yaml:1:1: batch_size: unknown key; did you mean data.batch_size?"));
}

TEST(LoadConfigTest, AnUnknownSectionListsTheSections) {
  EXPECT_THAT(
      problems_of("audio:\n  rate: 22050\n"),
      ElementsAre(
          "c.yaml:1:1: audio: unknown section; expected data, model, training, vocoder, pipeline"));
  EXPECT_THAT(problems_of("trainning:\n  epochs: 1\n"),
              ElementsAre("c.yaml:1:1: trainning: unknown section; did you mean training?"));
}

TEST(LoadConfigTest, AllProblemsAreReportedAtOnce) {
  const std::vector<std::string> problems = problems_of(R"(data:
  batch_size: many
  batch_sise: 3
  val_split: 0.9
  use_phonemes: maybe
  num_workers: [1, 2]
  model_gpu: 1
model: 5
training:
  epochs: "3"
)");

  EXPECT_THAT(
      problems,
      ElementsAre(
          "c.yaml:2:3: data.batch_size: many is not valid; expected a whole number from 1 to "
          "65536; try 16",
          "c.yaml:3:3: data.batch_sise: unknown key; did you mean data.batch_size?",
          "c.yaml:4:3: data.val_split: 0.9 is not valid; expected a number from 0 to 0.5; try "
          "0.05",
          "c.yaml:5:3: data.use_phonemes: maybe is not valid; expected `true` or `false`; try "
          "false",
          "c.yaml:6:3: data.num_workers: a list; expected one value",
          "c.yaml:8:1: model: not a mapping; expected `key: value` lines below it",
          "c.yaml:10:3: training.epochs: 3 is text because of its quotes; "
          "expected a whole number of at least 1, or auto; try auto",
          "c.yaml:7: data.model_gpu: data.data_gpu is missing; Multi-GPU mode needs both; "
          "try `--data-gpu 0 --model-gpu 1`, or neither"));
}

TEST(LoadConfigTest, ANearChoiceIsSuggested) {
  EXPECT_THAT(problems_of("model: {size: smal}"),
              ElementsAre("c.yaml:1:9: model.size: smal is not valid; did you mean small? "
                          "Expected one of nano, tiny, small, normal, big"));
}

TEST(LoadConfigTest, QuotesAreBlamedOnlyForWhatCouldBeReadWithoutThem) {
  EXPECT_THAT(
      problems_of("data: {language: \"german\"}"),
      ElementsAre(HasSubstr("data.language: german is not valid; expected a language tag")));
}

TEST(LoadConfigTest, AValueTooLargeForItsFieldIsRefused) {
  EXPECT_THAT(problems_of("training: {epochs: 1e12}"),
              ElementsAre(HasSubstr("training.epochs: 1e12 is not valid")));
}

// More slots than the transfer ring has.
TEST(LoadConfigTest, ARingDeeperThanThereIsIsRefused) {
  EXPECT_THAT(problems_of("data: {prefetch_buffer_size: 64}"), ElementsAre());
  EXPECT_THAT(problems_of("data: {prefetch_buffer_size: 65}"),
              ElementsAre(HasSubstr("data.prefetch_buffer_size: 65 is not valid")));
}

TEST(LoadConfigTest, AKeyGivenTwiceIsAnError) {
  EXPECT_THAT(problems_of("data:\n  batch_size: 8\n  batch_size: 9\n"),
              ElementsAre("c.yaml:3:3: batch_size: given twice; the first is in line 2; keep one"));
}

TEST(LoadConfigTest, AConflictIsNotReportedForAFieldThatIsWrongItself) {
  EXPECT_THAT(problems_of("data: {data_gpu: -1, model_gpu: 1}"),
              ElementsAre(HasSubstr("data.data_gpu: -1 is not valid")));
}

TEST(LoadConfigTest, AnEndlessListOfProblemsIsCut) {
  std::string yaml = "data:\n";
  for (int i = 0; i < 2000; ++i) {
    yaml += "  key" + std::to_string(i) + ": 1\n";
  }

  const std::vector<std::string> problems = problems_of(yaml);

  EXPECT_EQ(problems.size(), 51);
  EXPECT_EQ(problems.back(), "c.yaml: more problems follow; is this the right file?");
}

struct DamageCase {
  const char* name;
  std::string yaml;
  const char* said;
};
class LoadConfigDamageTest : public testing::TestWithParam<DamageCase> {};
TEST_P(LoadConfigDamageTest, IsOneClearProblem) {
  EXPECT_THAT(problems_of(GetParam().yaml), ElementsAre(HasSubstr(GetParam().said)));
}
INSTANTIATE_TEST_SUITE_P(
    Files,
    LoadConfigDamageTest,
    testing::Values(
        DamageCase{"Empty", "", "c.yaml: empty; expected sections such as `data:`"},
        DamageCase{"OnlyComments", "# nothing\n", "c.yaml: empty"},
        DamageCase{"AList", "- data\n", "c.yaml:1:1: not a mapping; expected sections"},
        DamageCase{"AWord", "data", "c.yaml:1:1: not a mapping"},
        DamageCase{"ATab", "data:\n\tbatch_size: 8\n", "c.yaml:2:1: a tab in the indentation"},
        DamageCase{"BadSyntax", "data:\n  batch_size: 8\n bad: [", "c.yaml:3:"},
        DamageCase{"Unclosed", "data: {batch_size: 8", "c.yaml:1:21: not YAML: "},
        DamageCase{"OpenQuote",
                   "data:\n  train_data: \"x\n  batch_size: 8\n",
                   "c.yaml:3:16: not YAML: a quote that is never closed"},
        DamageCase{"NotUtf8", "data: \xff\xfe", "c.yaml: not UTF-8 text"},
        DamageCase{"ZeroByte", std::string("data:\n a\0", 9), "c.yaml:2:3: a zero byte"},
        DamageCase{"TwoDocuments", "data:\n---\nmodel:\n", "a second document begins"},
        DamageCase{"AnAlias", "data: &a {batch_size: 8}\nmodel: *a\n", "c.yaml:2:8: an alias"},
        DamageCase{"ATag", "data: {batch_size: !!int 8}", "a tag (!name)"},
        DamageCase{"AKeyThatIsAList", "? [a]\n: 1\n", "a key that is not a word"},
        DamageCase{"TooDeep", "data: [[[[[[[[[[1]]]]]]]]]]", "nested too deep"},
        DamageCase{"TooDeepByFar", std::string(500'000, '['), "nested too deep"},
        DamageCase{
            "TooLarge", std::string(kMaxYamlBytes + 1, ' '), "c.yaml: too large: 1000001 bytes"}),
    [](const auto& damage) { return std::string(damage.param.name); });

TEST(LoadConfigTest, TooManyValuesAreRefused) {
  std::string yaml = "data: [";
  for (int i = 0; i < 20'000; ++i) {
    yaml += "1,";
  }

  EXPECT_THAT(problems_of(yaml + "]"), ElementsAre(HasSubstr("too much in it")));
}

TEST(LoadConfigTest, ABombOfAliasesIsRefusedAtTheFirstAlias) {
  std::string yaml = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    yaml += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  }

  EXPECT_THAT(problems_of(yaml), ElementsAre(HasSubstr("c.yaml:2:")));
}

class LoadConfigFileTest : public testing::Test {
 protected:
  LoadConfigFileTest()
      : folder_(std::filesystem::path(testing::TempDir()) / "LoadConfigFileTest" /
                testing::UnitTest::GetInstance()->current_test_info()->name()),
        file_(folder_ / "c.yaml") {
    std::filesystem::create_directories(folder_);
  }
  LoadConfigFileTest(const LoadConfigFileTest&) = delete;
  LoadConfigFileTest& operator=(const LoadConfigFileTest&) = delete;
  ~LoadConfigFileTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

TEST_F(LoadConfigFileTest, FlagsWinOverSetsAndSetsOverTheFile) {
  write_text_file(file_, "data: {batch_size: 2, max_text_length: 3, max_mel_frames: 4}\n");

  const LoadedConfig config =
      load_config({.file = file_,
                   .sets = {"data.max_text_length=30", "data.max_mel_frames=40"},
                   .flags = flags("data.max_mel_frames", "400", "--max-mel-frames")});

  EXPECT_EQ(config.values.data.batch_size, 2);
  EXPECT_EQ(config.values.data.max_text_length, 30);
  EXPECT_EQ(config.values.data.max_mel_frames, 400);
  EXPECT_EQ(config.origins,
            (Origins{{"data.batch_size", file_.string() + ":1"},
                     {"data.max_text_length", "--set"},
                     {"data.max_mel_frames", "--max-mel-frames"}}));
}

TEST_F(LoadConfigFileTest, ProblemsOfFileSetsAndFlagsComeTogether) {
  write_text_file(file_, "data: {batch_size: 0}\n");

  try {
    load_config({.file = file_,
                 .sets = {"data.batch_size", "data.batchsize=3"},
                 .flags = flags("training.epochs", "-1", "--epochs")});
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(
        error.what(),
        AllOf(HasSubstr("c.yaml:1:8: data.batch_size: 0 is not valid"),
              HasSubstr("--set: data.batch_size: no `=`"),
              HasSubstr("--set: data.batchsize: unknown key; did you mean data.batch_size?"),
              HasSubstr("--epochs: training.epochs: -1 is not valid")));
  }
}

TEST_F(LoadConfigFileTest, AFileThatIsNotThereIsNamed) {
  try {
    load_config({.file = file_, .sets = {}, .flags = {}});
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("--config: "), HasSubstr("c.yaml: cannot open")));
  }
}

TEST_F(LoadConfigFileTest, ASetValueInQuotesIsText) {
  const LoadedConfig config =
      load_config({.file = std::nullopt, .sets = {"data.train_data=\"none\""}, .flags = {}});

  EXPECT_EQ(config.values.data.train_data, "none");
}

TEST_F(LoadConfigFileTest, ASetValueMayHoldAnEqualsSign) {
  const LoadedConfig config =
      load_config({.file = std::nullopt, .sets = {"data.train_data=a=b"}, .flags = {}});

  EXPECT_EQ(config.values.data.train_data, "a=b");
}

}  // namespace
}  // namespace qanat
