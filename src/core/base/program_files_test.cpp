#include "base/program_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace qanat {
namespace {

namespace fs = std::filesystem;

class ProgramFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            fmt::format("program-{}-{}",
                        ::getpid(),
                        testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path root_;
};

TEST_F(ProgramFilesTest, AreBesideTheProgramInABuild) {
  fs::create_directories(root_ / "share/qanat/start");

  EXPECT_EQ(start_weights(root_ / "bin"), root_ / "share/qanat/start");
}

TEST_F(ProgramFilesTest, AreAboveTheSecondPartOfAPackage) {
  fs::create_directories(root_ / "share/qanat/start");

  EXPECT_EQ(start_weights(root_ / "libexec/qanat"), root_ / "share/qanat/start");
}

TEST_F(ProgramFilesTest, ThatAreNotThereHaveAPlaceToBeNamed) {
  EXPECT_EQ(start_weights(root_ / "bin"), root_ / "share/qanat/start");
  EXPECT_EQ(start_weights(fs::path()), fs::path());
}

TEST_F(ProgramFilesTest, TheProgramThatRunsKnowsItsFolder) {
  EXPECT_TRUE(fs::is_directory(program_folder()));
}

}  // namespace
}  // namespace qanat
