#include "diagnose/rules_storage.h"

#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

class RulesStorageTest : public RulesTest {
 protected:
  RulesStorageTest() {
    // 16 files of 200 kB in 0.1 s are 32 MB/s; each worker gets 100 MB/s.
    trace_.storage = StorageReading{.files_known = 1000, .mean_file_bytes = 200e3};
    trace_.storage->cold = ReadPass{.files = 100,
                                    .bytes = 20e6,
                                    .seconds = 0.2,
                                    .open_p50 = 0.0001,
                                    .file_p50 = 0.002,
                                    .file_p95 = 0.004};
    trace_.storage->warm = trace_.storage->cold;
  }
  void slow_storage() {
    ReadPass pass = *trace_.storage->cold;
    pass.seconds = 4;  // 5 MB/s
    trace_.storage->cold = pass;
  }
};

TEST_F(RulesStorageTest, AHealthyRunPassesEverything) {
  for (const Rule& rule : all_rules()) {
    if (rule.category == "storage") {
      EXPECT_TRUE(decide(rule.decide).passed.has_value()) << rule.id;
    }
  }
}

TEST_F(RulesStorageTest, WithoutMeasurementsNothingIsClaimed) {
  trace_.storage.reset();
  trace_.host.reset();
  trace_.pipeline.reset();

  for (const Rule& rule : all_rules()) {
    if (rule.category == "storage") {
      EXPECT_TRUE(decide(rule.decide).skipped.has_value()) << rule.id;
    }
  }
}

TEST_F(RulesStorageTest, WhatCannotBeReadIsSkippedWithTheReason) {
  trace_.storage->cold = Reading<ReadPass>::none("the page cache kept the files");
  trace_.host->last.storage_bytes = Reading<double>::none("may not be read");
  trace_.host->setup.data_file_system = Reading<std::string>::none("no mounts");

  EXPECT_EQ(decide(storage_too_slow).skipped, "the page cache kept the files");
  EXPECT_EQ(decide(cache_misses).skipped, "may not be read");
  EXPECT_EQ(decide(remote_files).skipped, "no mounts");
}

TEST_F(RulesStorageTest, StorageSlowerThanTrainingReadsIsAFinding) {
  slow_storage();
  wait_for_data(0.1);

  const RuleOutcome outcome = decide(storage_too_slow);

  expect_complete(outcome, "IO001");
  EXPECT_EQ(outcome.finding->severity, FindingSeverity::crit);
  EXPECT_NEAR(outcome.finding->gain.speedup, 2, 0.01);
}

TEST_F(RulesStorageTest, SlowStorageThatNobodyWaitsForIsWorthKnowing) {
  slow_storage();

  EXPECT_EQ(decide(storage_too_slow).finding->severity, FindingSeverity::info);
}

TEST_F(RulesStorageTest, ReadingFromStorageIsFoundWhenTheDeviceWaits) {
  trace_.host->last.storage_bytes = 0.9e8;

  EXPECT_TRUE(decide(cache_misses).passed.has_value());

  wait_for_data(0.05);
  expect_complete(decide(cache_misses), "IO002");
}

TEST_F(RulesStorageTest, ANetworkFileSystemIsAWarningWhenTheDeviceWaits) {
  trace_.host->setup.data_file_system = std::string("nfs4");

  EXPECT_EQ(decide(remote_files).finding->severity, FindingSeverity::info);

  wait_for_data(0.05);
  expect_complete(decide(remote_files), "IO003");
  EXPECT_EQ(decide(remote_files).finding->severity, FindingSeverity::crit);
}

TEST_F(RulesStorageTest, FilesThatAreDearToOpenAreFound) {
  ReadPass pass = *trace_.storage->cold;
  pass.open_p50 = 0.0015;
  trace_.storage->cold = pass;

  expect_complete(decide(small_files), "IO004");

  trace_.storage->mean_file_bytes = 5e6;
  EXPECT_TRUE(decide(small_files).passed.has_value());
}

TEST_F(RulesStorageTest, DecodingThatHoldsTheDeviceUpIsFound) {
  trace_.pipeline->decode.busy = Seconds{8};

  EXPECT_TRUE(decide(decode_dominates).passed.has_value());

  wait_for_data(0.05);
  expect_complete(decide(decode_dominates), "IO005");
}

}  // namespace
}  // namespace qanat
