#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selftest/feed_run.h"

namespace qanat {
namespace {

using testing::HasSubstr;

// A program that stands in for the Python one.
std::filesystem::path script(const std::string& body) {
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                               (std::string("dataloader_turns_") +
                                testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ofstream(path) << "#!/bin/sh\n" << body;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(DataLoaderTurnsTest, ATurnIsAskedForAndRead) {
  Result<DataLoaderTurns> loader = DataLoaderTurns::start(
      {.program = script("echo '{\"ready\": true}'\nread warm_up steps\n"
                         "echo \"{\\\"steps_per_s\\\": $steps, \\\"wait_share\\\": 0.25, "
                         "\\\"readiness\\\": 0.5, \\\"cores\\\": 1.5, \\\"cpu_s\\\": 2}\"\n"),
       .corpus = "/corpus"});
  ASSERT_TRUE(loader) << loader.failure().what;

  const Result<FeedTurn> turn = loader.value().turn({.warm_up = 2, .steps = 7});

  ASSERT_TRUE(turn) << turn.failure().what;
  EXPECT_EQ(turn.value().steps_per_s, 7);
  EXPECT_EQ(turn.value().wait_share, 0.25);
  EXPECT_EQ(turn.value().readiness, 0.5);
  EXPECT_EQ(turn.value().cores, 1.5);
}

TEST(DataLoaderTurnsTest, WhatPythonLacksIsTheReason) {
  const Result<DataLoaderTurns> loader = DataLoaderTurns::start(
      {.program = script("echo '{\"error\": \"python3 has no module torch\"}'\n"), .corpus = "/c"});

  ASSERT_FALSE(loader);
  EXPECT_EQ(loader.failure().what, "python3 has no module torch");
}

TEST(DataLoaderTurnsTest, AnInstalledProgramHasNone) {
  const Result<DataLoaderTurns> loader = DataLoaderTurns::start({.program = {}, .corpus = "/c"});

  ASSERT_FALSE(loader);
  EXPECT_THAT(loader.failure().what, HasSubstr("is not next to this program"));
}

TEST(DataLoaderTurnsTest, AProgramThatEndsIsAReason) {
  EXPECT_FALSE(DataLoaderTurns::start({.program = script("exit 3\n"), .corpus = "/c"}));
}

}  // namespace
}  // namespace qanat
