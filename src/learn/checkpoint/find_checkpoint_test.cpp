#include "checkpoint/find_checkpoint.h"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "locale/message_error.h"
#include "locale/translator.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FindCheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / "find_checkpoint" /
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void save(std::int64_t step, bool best) const {
    CheckpointFolder(root_, 9).save(
        step, {.weights = {{"w", torch::ones({4})}}, .state = {{"step", step}}}, best);
  }
  fs::path of_step(std::int64_t step) const { return root_ / fmt::format("step-{:09}", step); }
  void damage(std::int64_t step) const { std::ofstream(of_step(step) / "state.json") << "?"; }

  static std::optional<std::int64_t> found(const CheckpointSearch& search) {
    const auto result = find_checkpoint(search);
    return result && result.value() ? std::optional(result.value()->step) : std::nullopt;
  }

  fs::path root_;
};

TEST_F(FindCheckpointTest, TakesTheOneThatIsNamedItself) {
  save(1, true);
  save(2, false);

  EXPECT_EQ(found({.path = of_step(1)}), 1);
  EXPECT_EQ(found({.path = of_step(2), .order = CheckpointOrder::best}), 2);
}

TEST_F(FindCheckpointTest, TakesTheOneOfAFolderThatTheOrderNames) {
  save(1, true);
  save(2, false);

  EXPECT_EQ(found({.path = root_}), 2);
  EXPECT_EQ(found({.path = root_, .order = CheckpointOrder::best}), 1);
  EXPECT_EQ(found({.path = root_, .order = CheckpointOrder::best_or_newest}), 1);
}

TEST_F(FindCheckpointTest, TakesTheNewestWhereNoneIsBest) {
  save(1, false);
  save(2, false);

  EXPECT_EQ(found({.path = root_, .order = CheckpointOrder::best}), std::nullopt);
  EXPECT_EQ(found({.path = root_, .order = CheckpointOrder::best_or_newest}), 2);
}

TEST_F(FindCheckpointTest, SaysWhatIsWrongWithTheOneThatIsNamed) {
  save(1, false);
  damage(1);

  const auto result = find_checkpoint({.path = of_step(1)});

  ASSERT_FALSE(result);
  EXPECT_THAT(Translator().said(reason_of(result.failure())), HasSubstr("state.json"));
}

TEST_F(FindCheckpointTest, FindsNothingInAFolderWithoutOneThatIsWhole) {
  EXPECT_TRUE(find_checkpoint({.path = root_}));
  EXPECT_EQ(found({.path = root_}), std::nullopt);
  save(1, false);
  damage(1);
  int warnings = 0;

  const auto result = find_checkpoint({.path = root_, .warn = [&](const Message&) { ++warnings; }});

  EXPECT_TRUE(result && !result.value());
  EXPECT_EQ(warnings, 1);
}

}  // namespace
}  // namespace qanat
