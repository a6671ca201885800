// Injects real faults. Slow: runs of some seconds each.
#include "selftest/selftest.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

class SelftestTest : public testing::Test {
 protected:
  SelftestTest()
      : folder_(std::filesystem::path(testing::TempDir()) / "selftest_test" /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  SelftestTest(const SelftestTest&) = delete;
  SelftestTest& operator=(const SelftestTest&) = delete;
  ~SelftestTest() override { std::filesystem::remove_all(folder_); }

  SelftestReport run(std::vector<std::string> only) const {
    return run_selftest({.folder = folder_, .only = std::move(only)});
  }

  std::filesystem::path folder_;
};

TEST_F(SelftestTest, FaultsThatNoNeighbourCanHideAreFoundAndFixed) {
  const SelftestReport report = run({"lock convoy", "log stall"});

  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows[0].found, "DL004") << render_text(to_document(report));
  EXPECT_EQ(report.rows[1].found, "PER001") << render_text(to_document(report));
  EXPECT_NE(report.rows[1].title.find("training.log_every"), std::string::npos);
  ASSERT_TRUE(report.rows[1].realised);
  EXPECT_LT(*report.rows[1].realised, report.rows[1].step_now);
}

}  // namespace
}  // namespace qanat
