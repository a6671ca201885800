#include "config/nearest.h"

#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

const std::vector<std::string> kNames = {"--batch-size", "--buffer-size", "--epochs", "--lr"};

TEST(NearestTest, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("batch", "batch"), 0);
  EXPECT_EQ(edit_distance("btach", "batch"), 1);
  EXPECT_EQ(edit_distance("bach", "batch"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(NearestTest, DashUnderscoreAndCaseAreTheSame) {
  EXPECT_EQ(edit_distance("Batch_Size", "batch-size"), 0);
}

TEST(NearestTest, ATypingErrorFindsItsName) {
  EXPECT_EQ(nearest("--btach-size", kNames), "--batch-size");
  EXPECT_EQ(nearest("--epoch", kNames), "--epochs");
}

TEST(NearestTest, WhatIsFarFromEverythingFindsNothing) {
  EXPECT_EQ(nearest("--colour", kNames), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(NearestTest, AnEndlessNameIsHarmless) {
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), kNames), std::nullopt);
}

}  // namespace
}  // namespace qanat
