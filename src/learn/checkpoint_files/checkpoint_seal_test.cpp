#include "checkpoint_files/checkpoint_seal.h"

#include <gmock/gmock.h>

namespace qanat {
namespace {

CheckpointSeal example_seal() {
  return {
      .step = 1000, .save = 3, .best = true, .files = {{"a", {.bytes = 7, .checksum = 0xABCDU}}}};
}

TEST(CheckpointSealTest, ComesBackFromItsText) {
  const Result<CheckpointSeal> seal = parse_seal(to_text(example_seal()));

  ASSERT_TRUE(seal) << seal.failure().what;
  EXPECT_EQ(seal.value(), example_seal());
}

class CheckpointSealBadTest : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(CheckpointSealBadTest, IsRefused) {
  std::string text = to_text(example_seal());
  const auto [from, to] = GetParam();
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string_view(from).size(), to);

  EXPECT_FALSE(parse_seal(text));
}

INSTANTIATE_TEST_SUITE_P(All,
                         CheckpointSealBadTest,
                         testing::Values(std::pair("{", "["),
                                         std::pair("qanat", "other"),
                                         std::pair("\"version\": 1", "\"version\": 2"),
                                         std::pair("\"step\": 1000", "\"step\": -1"),
                                         std::pair("\"save\": 3", "\"save\": 1.5"),
                                         std::pair("\"best\": true", "\"best\": 1"),
                                         std::pair("\"bytes\": 7", "\"bytes\": \"7\""),
                                         std::pair("000000000000abcd", "abcd"),
                                         std::pair("\"a\"", "\"../a\"")));

TEST(CheckpointSealTest, WithoutFilesItIsRefused) {
  EXPECT_FALSE(parse_seal(R"({"format":"qanat-checkpoint-seal","version":1,"step":1,"save":1})"));
}

}  // namespace
}  // namespace qanat
