#include "report/config_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/rules.h"
#include "locale/messages/findings_hardware.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

Fix precompute() {
  return {.key = "data.preprocessing_mode",
          .value = "precompute",
          .precondition = msg::after_precompute{}};
}

Recommendation recommended(const Fix& fix) {
  return {.fix = fix, .finding = "A", .why = {}};
}

TEST(ConfigChangesTest, FlagsComeFromTheListOfFields) {
  EXPECT_EQ(flag_of({.key = "data.num_workers", .value = "3"}), "--num-workers 3");
  EXPECT_EQ(flag_of({.key = "pipeline.bucket_edges", .value = "16"}),
            "--set pipeline.bucket_edges=16");
  EXPECT_EQ(flag_of({.key = "pipeline.allow_fallback", .value = "true"}), "--allow-fallback");
  EXPECT_EQ(flag_of({.key = "pipeline.allow_fallback", .value = "false"}),
            "--set pipeline.allow_fallback=false");
}

TEST(ConfigChangesTest, APyTorchLoopIsToldAnArgument) {
  EXPECT_EQ(flag_of({.key = "num_workers", .value = "3", .trained_by = TrainedBy::torch}),
            "num_workers=3");
}

TEST(ConfigChangesTest, WhatNoKeyDoesHasNoFlag) {
  EXPECT_EQ(flag_of({.action = msg::hw002_reboot{}}), "");
  EXPECT_EQ(fix_words({.action = msg::hw002_reboot{}}, Translator()),
            "reboot after the driver update");
}

TEST(ConfigChangesTest, PeopleReadWhatHasToBeDoneFirst) {
  EXPECT_EQ(fix_words(precompute(), Translator()),
            "--set data.preprocessing_mode=precompute (after `qanat precompute`)");
}

TEST(ConfigChangesTest, ChangesArePastedAsFlagsAndMergedAsYaml) {
  const std::vector<Recommendation> all = {
      recommended({.key = "pipeline.bucket_edges", .value = "16"}),
      recommended({.key = "data.num_workers", .value = "3"}),
      recommended(precompute())};

  EXPECT_EQ(flags_of(all),
            "--set pipeline.bucket_edges=16 --num-workers 3 "
            "--set data.preprocessing_mode=precompute");
  EXPECT_EQ(yaml_of(all, "  "),
            "  data:\n    num_workers: 3\n    preprocessing_mode: precompute\n"
            "  pipeline:\n    bucket_edges: 16\n");
}

}  // namespace
}  // namespace qanat
