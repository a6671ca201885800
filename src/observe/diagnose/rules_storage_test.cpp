#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

class RulesStorageTest : public RulesTest {
 protected:
  RulesStorageTest() {
    // 16 files of 200 kB in 0.1 s are 32 MB/s; each worker gets 100 MB/s.
    summary_.storage = StorageReading{.files_known = 1000, .mean_file_bytes = 200e3};
    summary_.storage->cold = ReadPass{.files = 100,
                                      .bytes = 20e6,
                                      .seconds = 0.2,
                                      .open_p50 = 0.0001,
                                      .file_p50 = 0.002,
                                      .file_p95 = 0.004};
    summary_.storage->warm = summary_.storage->cold;
  }
  void slow_storage() {
    ReadPass pass = *summary_.storage->cold;
    pass.seconds = 4;  // 5 MB/s
    summary_.storage->cold = pass;
  }
};

TEST_F(RulesStorageTest, AHealthyRunPassesEverything) {
  for (const Rule& rule : all_rules()) {
    if (rule.category == RuleCategory::storage) {
      EXPECT_TRUE(is_passed(decide(rule.id))) << rule.id;
    }
  }
}

TEST_F(RulesStorageTest, WithoutMeasurementsNothingIsClaimed) {
  summary_.storage.reset();
  summary_.host.reset();
  summary_.pipeline.reset();

  for (const Rule& rule : all_rules()) {
    if (rule.category == RuleCategory::storage) {
      EXPECT_TRUE(is_skipped(decide(rule.id))) << rule.id;
    }
  }
}

TEST_F(RulesStorageTest, WhatCannotBeReadIsSkippedWithTheReason) {
  summary_.storage->cold = Reading<ReadPass>::none("the page cache kept the files");
  summary_.host->last.storage_bytes = Reading<double>::none("may not be read");
  summary_.host->setup.data_file_system = Reading<std::string>::none("no mounts");

  EXPECT_EQ(skip_reason(decide("IO001")), "cannot be read: the page cache kept the files");
  EXPECT_EQ(skip_reason(decide("IO002")), "cannot be read: may not be read");
  EXPECT_EQ(skip_reason(decide("IO003")), "cannot be read: no mounts");
}

TEST_F(RulesStorageTest, StorageSlowerThanTrainingReadsIsAFinding) {
  slow_storage();
  wait_for_data(0.1);

  const RuleOutcome outcome = decide("IO001");

  expect_complete(outcome, "IO001");
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::crit);
  EXPECT_NEAR(std::get<Finding>(outcome).gain.speedup, 2, 0.01);
}

TEST_F(RulesStorageTest, SlowStorageThatNobodyWaitsForIsWorthKnowing) {
  slow_storage();

  EXPECT_EQ(std::get<Finding>(decide("IO001")).severity, FindingSeverity::info);
}

TEST_F(RulesStorageTest, ReadingFromStorageIsFoundWhenTheDeviceWaits) {
  summary_.host->last.storage_bytes = 0.9e8;

  EXPECT_TRUE(is_passed(decide("IO002")));

  wait_for_data(0.05);
  expect_complete(decide("IO002"), "IO002");
}

TEST_F(RulesStorageTest, AFewBytesFromStorageAreNoReason) {
  summary_.host->last.read_bytes = 2e4;
  summary_.host->last.storage_bytes = 2e4;
  wait_for_data(0.05);

  EXPECT_TRUE(is_passed(decide("IO002")));
}

TEST_F(RulesStorageTest, ANetworkFileSystemIsAWarningWhenTheDeviceWaits) {
  summary_.host->setup.data_file_system = std::string("nfs4");

  EXPECT_EQ(std::get<Finding>(decide("IO003")).severity, FindingSeverity::info);

  wait_for_data(0.05);
  expect_complete(decide("IO003"), "IO003");
  EXPECT_EQ(std::get<Finding>(decide("IO003")).severity, FindingSeverity::crit);
}

TEST_F(RulesStorageTest, FilesThatAreDearToOpenAreFound) {
  ReadPass pass = *summary_.storage->cold;
  pass.open_p50 = 0.0015;
  summary_.storage->cold = pass;

  expect_complete(decide("IO004"), "IO004");

  summary_.storage->mean_file_bytes = 5e6;
  EXPECT_TRUE(is_passed(decide("IO004")));
}

TEST_F(RulesStorageTest, DecodingThatHoldsTheDeviceUpIsFound) {
  summary_.pipeline->decode.busy = Seconds{8};

  EXPECT_TRUE(is_passed(decide("IO005")));

  wait_for_data(0.05);
  expect_complete(decide("IO005"), "IO005");
}

// Rows that are made, or come from memory, do not wait for files: whatever was read is no data.
TEST_F(RulesStorageTest, ASetThatReadsNoFileMissesNoCache) {
  wait_for_data(0.05);
  summary_.host->last.storage_bytes = 1e8;
  EXPECT_FALSE(is_passed(decide("IO002")));

  summary_.pipeline->from_audio = 0;
  summary_.pipeline->from_cache = 960;
  EXPECT_TRUE(is_passed(decide("IO002")));
}

}  // namespace
}  // namespace qanat
