#include "cli/config_flags.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

class ConfigFlagsTest : public testing::Test {
 protected:
  void parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app_.parse(arguments);
  }

  void declare(std::initializer_list<std::string_view> keys) {
    Flags flags(app_, Translator());
    flags_.declare(flags, keys);
  }

  CLI::App app_{"test", "tool"};
  ConfigFlags flags_;
};

TEST_F(ConfigFlagsTest, FlagsOfEveryKindReachTheirFields) {
  declare({"data", "model", "training", "pipeline"});

  parse({"--batch-size",
         "8",
         "--lr=1e-4",
         "--model-size",
         "big",
         "--resume",
         "--data-gpu-memory",
         "1e3",
         "--disable-static-shapes",
         "--buffer-size",
         "auto"});
  const RunConfig config = flags_.load().values;

  EXPECT_EQ(config.data.batch_size, 8);
  EXPECT_EQ(config.training.learning_rate, 1e-4);
  EXPECT_EQ(config.model.size, ModelSize::big);
  EXPECT_TRUE(config.training.resume);
  EXPECT_EQ(config.pipeline.data_gpu_memory, Megabytes{1000});
  EXPECT_FALSE(config.data.enable_static_shapes);
  EXPECT_EQ(config.data.pipeline_buffer_size, std::nullopt);
}

TEST_F(ConfigFlagsTest, ACommandTakesOnlyTheFlagsItNames) {
  declare({"data", "training.seed"});

  EXPECT_NE(app_.get_option_no_throw("--batch-size"), nullptr);
  EXPECT_NE(app_.get_option_no_throw("--seed"), nullptr);
  EXPECT_EQ(app_.get_option_no_throw("--epochs"), nullptr);
  EXPECT_EQ(app_.get_option_no_throw("--model-size"), nullptr);
}

TEST_F(ConfigFlagsTest, SetReachesFieldsWithoutAFlagAndMayBeRepeated) {
  declare({"model"});

  parse({"--set", "training.epochs=3", "--set", "pipeline.bucket_edges=1"});
  const LoadedConfig config = flags_.load();

  EXPECT_EQ(config.values.training.epochs, 3);
  EXPECT_EQ(config.values.pipeline.bucket_edges, 1);
  EXPECT_EQ(config.origins.at("training.epochs"), "--set");
}

TEST_F(ConfigFlagsTest, SetDoesNotSwallowTheArgumentAfterIt) {
  declare({"model"});
  std::string positional;
  app_.add_option("DIR", positional);

  parse({"--set", "training.epochs=3", "corpus"});

  EXPECT_EQ(positional, "corpus");
}

TEST_F(ConfigFlagsTest, TheOriginIsTheFlagThatWasUsed) {
  declare({"data"});

  parse({"--data-path", "corpus"});
  const LoadedConfig config = flags_.load();

  EXPECT_EQ(config.values.data.train_data, "corpus");
  EXPECT_EQ(config.origins, (Origins{{"data.train_data", "--data-path"}}));
}

TEST_F(ConfigFlagsTest, TheDataSetHasOneNameAndItsOldOnes) {
  declare({"data"});

  for (const char* name : {"--data", "--train-data", "--data-path"}) {
    parse({name, std::string("of") + name});
    EXPECT_EQ(flags_.load().values.data.train_data, std::string("of") + name);
  }
}

TEST_F(ConfigFlagsTest, AFlagGivenAgainReplacesTheFirst) {
  declare({"data"});

  parse({"--batch-size", "8", "--batch-size", "9"});

  EXPECT_EQ(flags_.load().values.data.batch_size, 9);
}

TEST_F(ConfigFlagsTest, AllBadValuesAreReportedTogether) {
  declare({"data", "training"});
  parse({"--batch-size", "many", "--data-gpu", "-1", "--epochs", "0", "--set", "nonsense"});

  try {
    flags_.load();
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.problems().size(), 4);
  }
}

TEST_F(ConfigFlagsTest, OnAndOffTogetherAreAUsageError) {
  declare({"data"});

  EXPECT_THROW(parse({"--enable-static-shapes", "--disable-static-shapes"}), CLI::ExcludesError);
}

TEST_F(ConfigFlagsTest, TheHelpSaysUnitDefaultAndChoices) {
  declare({"data", "model"});

  const std::string help = app_.help();

  EXPECT_THAT(help, HasSubstr("--batch-size UTTERANCES"));
  EXPECT_THAT(help, HasSubstr("utterances per batch (default 16)"));
  EXPECT_THAT(help, HasSubstr("one of nano, tiny, small, normal, big (default tiny)"));
  EXPECT_THAT(help, HasSubstr("--model-start-delay SECONDS"));
  EXPECT_THAT(help, HasSubstr("same as --data"));
  EXPECT_THAT(help, Not(HasSubstr("--seed")));
}

// Who does not know the words cannot use the flag.
TEST_F(ConfigFlagsTest, TheHelpOfAListSaysItsWords) {
  declare({"training"});

  const std::string help = app_.help();

  EXPECT_THAT(help, HasSubstr("--freeze WORDS"));
  EXPECT_THAT(help, HasSubstr("one or several of symbols, text_encoder"));
}

}  // namespace
}  // namespace qanat
