#include "config/write_config.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/field_list.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

// Every field away from its default.
RunConfig unusual() {
  RunConfig config;
  for (const FieldEntry& field : list_fields(config)) {
    for (const char* text : {"true",
                             "false",
                             "1",
                             "3",
                             "17",
                             "0.25",
                             "fa",
                             "runtime",
                             "big",
                             "loss",
                             "bf16",
                             "vocoder",
                             "decoder,aligner",
                             "a: \"b\" #\n"}) {
      RunConfig changed = config;
      if (!assign_field(changed, field.key, {.text = text, .quoted = false}) && changed != config) {
        config = changed;
        break;
      }
    }
  }
  return config;
}

TEST(WriteConfigTest, EveryFieldCanBeChanged) {
  const std::vector<FieldEntry> defaults = list_fields(RunConfig{});
  const std::vector<FieldEntry> changed = list_fields(unusual());

  for (std::size_t i = 0; i < defaults.size(); ++i) {
    EXPECT_NE(defaults[i].value, changed[i].value) << defaults[i].key;
  }
}

TEST(WriteConfigTest, TheDefaultsReadBackTheSame) {
  EXPECT_EQ(load_config_text(to_yaml({}), "dump").values, RunConfig{});
}

TEST(WriteConfigTest, UnusualValuesReadBackTheSame) {
  RunConfig config = unusual();
  config.model.size = ModelSize::small;  // there is no big vocoder
  config.training.resume = false;        // with reset_training it is a conflict
  config.data.data_gpu = 2;              // the same as model_gpu is one, too
  config.pipeline.frame_budget = 1 << 20;

  EXPECT_EQ(load_config_text(to_yaml({.values = config, .origins = {}}), "dump").values, config);
}

TEST(WriteConfigTest, ValuesSayWhereTheyCameFrom) {
  LoadedConfig config;
  config.values.data.batch_size = 32;
  config.origins = {{"data.batch_size", "c.yaml:12"}, {"training.seed", "--seed"}};

  const std::string yaml = to_yaml(config);

  EXPECT_THAT(yaml, HasSubstr("  batch_size: 32                          # from c.yaml:12\n"));
  EXPECT_THAT(yaml, HasSubstr("  seed: 0                                 # from --seed\n"));
  EXPECT_THAT(yaml, HasSubstr("\n  num_workers: auto\n"));
}

TEST(WriteConfigTest, AnOriginCannotBreakOutOfItsComment) {
  LoadedConfig config;
  config.origins = {{"data.batch_size", "a\nmodel: 3:1"}};

  EXPECT_EQ(load_config_text(to_yaml(config), "dump").values, RunConfig{});
}

TEST(WriteConfigTest, JsonHasNumbersWordsAndNullForNoValue) {
  const nlohmann::json json = to_json(RunConfig{});

  EXPECT_EQ(json["data"]["batch_size"], 16);
  EXPECT_EQ(json["data"]["model_start_delay"], 2.0);
  EXPECT_EQ(json["data"]["num_workers"], nullptr);
  EXPECT_EQ(json["model"]["size"], "tiny");
  EXPECT_EQ(json["training"]["resume"], false);
}

TEST(WriteConfigTest, TheReferenceNamesEveryKeyDefaultAndFlag) {
  const std::string reference = config_reference(Translator());

  for (const FieldEntry& field : list_fields(RunConfig{})) {
    EXPECT_THAT(reference, HasSubstr("| `" + std::string(field.spec.name) + "` | "));
  }
  EXPECT_THAT(reference, HasSubstr("| `16` | `--batch-size` |"));
  EXPECT_THAT(reference, HasSubstr("`--enable-static-shapes`, `--disable-static-shapes`"));
  EXPECT_THAT(reference, HasSubstr("; no effect without CUDA |"));
}

// A flag in two fields would set one of them only.
TEST(FieldListTest, KeysAndFlagsAreUniqueAndHelpIsAPhrase) {
  std::set<std::string> seen;
  for (const FieldEntry& field : list_fields(RunConfig{})) {
    EXPECT_TRUE(seen.insert(field.key).second) << field.key;
    for (const std::string& flag : flag_names(field.spec)) {
      EXPECT_THAT(flag, testing::StartsWith("--"));
      EXPECT_TRUE(seen.insert(flag).second) << flag;
    }
    EXPECT_THAT(Translator().tr(Message{field.spec.help}), Not(testing::EndsWith(".")));
  }
}

TEST(FieldListTest, EveryDefaultIsAllowed) {
  for (const FieldEntry& field : list_fields(RunConfig{})) {
    RunConfig config;
    const bool text = field.value.starts_with('"');
    const Scalar value{.text = text ? field.value.substr(1, field.value.size() - 2) : field.value,
                       .quoted = text};

    EXPECT_EQ(assign_field(config, field.key, value), std::nullopt) << field.key;
    EXPECT_EQ(config, RunConfig{}) << field.key;
  }
}

TEST(FieldListTest, AFailedAssignmentChangesNothing) {
  RunConfig config;

  EXPECT_TRUE(assign_field(config, "data.batch_size", {.text = "0", .quoted = false}));
  EXPECT_TRUE(assign_field(config, "nowhere", {.text = "0", .quoted = false}));

  EXPECT_EQ(config, RunConfig{});
}

}  // namespace
}  // namespace qanat
