#include "checkpoint_files/folder_place.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

class FolderPlaceTest : public testing::TestWithParam<Exchanging> {
 protected:
  FolderPlaceTest() {
    fs::remove_all(root_);
    make(from_, "new");
  }
  ~FolderPlaceTest() override { fs::remove_all(root_); }

  static void make(const fs::path& folder, const std::string& content) {
    fs::create_directories(folder);
    write_text_file(folder / "file", content);
  }
  static std::string content(const fs::path& folder) {
    return read_text_file(folder / "file").value();
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "folder_place" /
                         testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path from_ = root_ / "from";
  const fs::path to_ = root_ / "to";
};

TEST_P(FolderPlaceTest, TakesAPlaceThatIsFree) {
  put_in_place(from_, to_, GetParam());

  EXPECT_EQ(content(to_), "new");
  EXPECT_FALSE(fs::exists(from_));
}

TEST_P(FolderPlaceTest, LeavesWhatWasThereUnderTheOtherName) {
  make(to_, "old");

  put_in_place(from_, to_, GetParam());

  EXPECT_EQ(content(to_), "new");
  EXPECT_EQ(content(from_), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 2);
}

TEST_P(FolderPlaceTest, WhatCannotBeMovedChangesNothing) {
  make(to_, "old");

  EXPECT_THROW(put_in_place(root_ / "nothing", to_, GetParam()), Error);

  EXPECT_EQ(content(to_), "old");
}

INSTANTIATE_TEST_SUITE_P(,
                         FolderPlaceTest,
                         testing::Values(Exchanging::at_once, Exchanging::in_renames),
                         [](const auto& test) {
                           return test.param == Exchanging::at_once ? "AtOnce" : "InRenames";
                         });

TEST(FolderPlaceNamesTest, ALeftoverKnowsWhereItWas) {
  EXPECT_EQ(place_of_replaced("a/.replaced-step-000000001"), fs::path("a/step-000000001"));
  EXPECT_EQ(place_of_replaced("a/step-000000001"), std::nullopt);
}

}  // namespace
}  // namespace qanat
