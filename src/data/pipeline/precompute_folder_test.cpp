#include "pipeline/precompute_folder.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "features/feature_store_folder.h"

namespace qanat {
namespace {

class PrecomputeFolderTest : public testing::Test {
 protected:
  PrecomputeFolderTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("qanat_precompute_folder_test_" + std::to_string(::getpid()))),
        data_(folder_ / "data") {
    std::filesystem::create_directories(data_);
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  PrecomputeFolderTest(const PrecomputeFolderTest&) = delete;
  PrecomputeFolderTest& operator=(const PrecomputeFolderTest&) = delete;
  ~PrecomputeFolderTest() override {
    std::filesystem::permissions(data_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder_);
  }

  static void put_shard(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::ofstream(shard_path(folder, 0)) << "a shard";
  }

  std::filesystem::path folder_;
  std::filesystem::path data_;
};

TEST_F(PrecomputeFolderTest, FeaturesLieBesideTheData) {
  EXPECT_EQ(writable_feature_folder(data_), data_ / ".qanat" / "features");
}

TEST_F(PrecomputeFolderTest, FeaturesOfReadOnlyDataLieInTheCache) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write everywhere";
  }
  std::filesystem::permissions(
      data_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);

  EXPECT_THAT(writable_feature_folder(data_).string(),
              testing::StartsWith((folder_ / "cache" / "qanat" / "features-").string()));
}

TEST_F(PrecomputeFolderTest, WhereFeaturesWereTheyStay) {
  const std::filesystem::path in_cache = feature_folders(data_).back();
  put_shard(in_cache);

  EXPECT_EQ(writable_feature_folder(data_), in_cache);
  EXPECT_EQ(find_feature_folder(data_), in_cache);
}

TEST_F(PrecomputeFolderTest, WithoutShardsThereIsNothingToRead) {
  EXPECT_EQ(find_feature_folder(data_), std::nullopt);
}

TEST_F(PrecomputeFolderTest, EveryDataSetHasItsOwnFolderInTheCache) {
  EXPECT_NE(feature_folders(data_).back(), feature_folders(folder_).back());
}

}  // namespace
}  // namespace qanat
