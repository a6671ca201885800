#include "features/verified_shards.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace qanat {
namespace {

namespace fs = std::filesystem;

class VerifiedShardsTest : public testing::Test {
 protected:
  VerifiedShardsTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(shard_) << "whole";
    fs::last_write_time(shard_, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path shard_ = folder_ / "shard-000000.qshard";
};

TEST_F(VerifiedShardsTest, AreKnownToTheNextOneWhoAsks) {
  EXPECT_FALSE(VerifiedShards(folder_).has(shard_));

  VerifiedShards(folder_).keep({shard_});

  EXPECT_TRUE(VerifiedShards(folder_).has(shard_));
}

TEST_F(VerifiedShardsTest, AChangedShardIsNotOneOfThem) {
  VerifiedShards(folder_).keep({shard_});
  const auto time = fs::last_write_time(shard_);

  std::ofstream(shard_, std::ios::app) << "more";
  fs::last_write_time(shard_, time);
  EXPECT_FALSE(VerifiedShards(folder_).has(shard_)) << "another length";

  std::ofstream(shard_) << "wrong";
  fs::last_write_time(shard_, time + std::chrono::milliseconds(1));
  EXPECT_FALSE(VerifiedShards(folder_).has(shard_)) << "another time";
}

// It could be written again without another time.
TEST_F(VerifiedShardsTest, AShardThatWasWrittenJustNowIsNotOneOfThem) {
  fs::last_write_time(shard_, fs::file_time_type::clock::now());

  VerifiedShards(folder_).keep({shard_});

  EXPECT_FALSE(VerifiedShards(folder_).has(shard_));
}

TEST_F(VerifiedShardsTest, ACopyUnderAnotherNameIsNotOneOfThem) {
  VerifiedShards(folder_).keep({shard_});
  const fs::path copy = folder_ / "shard-000001.qshard";
  fs::copy_file(shard_, copy);
  fs::last_write_time(copy, fs::last_write_time(shard_));

  EXPECT_FALSE(VerifiedShards(folder_).has(copy));
}

TEST_F(VerifiedShardsTest, AListThatIsNoneIsNoList) {
  std::ofstream(folder_ / "verified.txt") << std::string(100'000, '\0') << "\nnothing\n";

  EXPECT_FALSE(VerifiedShards(folder_).has(shard_));
}

}  // namespace
}  // namespace qanat
