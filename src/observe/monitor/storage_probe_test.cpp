#include "monitor/storage_probe.h"

#include <algorithm>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/files.h"
#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

class StorageProbeTest : public testing::Test {
 protected:
  // Written out, so that its pages can be dropped.
  void add_file(std::size_t bytes) {
    const fs::path path = tree_.root() / (std::to_string(files_.size()) + ".wav");
    write_text_file(path, std::string(bytes, 'x'));
    files_.push_back(path);
  }

  KernelTree tree_;
  std::vector<fs::path> files_;
};

TEST_F(StorageProbeTest, FilesAreReadOnceColdAndOnceWarm) {
  for (int i = 0; i < 8; ++i) {
    add_file(200'000);
  }

  const Result<StorageReading> reading = probe_storage(files_);

  ASSERT_TRUE(reading.ok()) << reading.failure().what;
  EXPECT_EQ(reading.value().files_known, 8);
  EXPECT_EQ(reading.value().unreadable, 0);
  EXPECT_DOUBLE_EQ(reading.value().mean_file_bytes, 200'000);
  ASSERT_TRUE(reading.value().warm) << reading.value().warm.why_not();
  const ReadPass& warm = *reading.value().warm;
  EXPECT_EQ(warm.files, 8);
  EXPECT_DOUBLE_EQ(warm.bytes, 1'600'000);
  EXPECT_GT(warm.bytes_per_second(), 0);
  EXPECT_LE(warm.open_p50, warm.file_p50);
  EXPECT_LE(warm.file_p50, warm.file_p95);
  // A cold pass, or the reason why there is none: what the temporary folder lies on decides.
  EXPECT_TRUE(reading.value().cold || reading.value().cold.why_not().size() > 10);
}

TEST_F(StorageProbeTest, WhatStaysInMemoryIsNotCalledCold) {
  add_file(200'000);
  // Nobody counts what came from storage.
  tree_.put("proc/self/io", "rchar: 0\nread_bytes: 0\n");
  const int fd = ::open(files_[0].c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);

  const Result<StorageReading> reading =
      probe_storage(files_, {.timeout = Seconds{4}, .root = tree_.root()});

  ::close(fd);
  ASSERT_TRUE(reading.ok());
  if (!reading.value().cold) {
    EXPECT_THAT(reading.value().cold.why_not(), testing::HasSubstr("0 % came from storage"));
  } else {  // so much slower that it cannot have come from the cache
    EXPECT_GE((*reading.value().cold).file_p50, 2 * (*reading.value().warm).file_p50);
  }
}

TEST_F(StorageProbeTest, NoMoreIsReadThanAllowed) {
  for (int i = 0; i < 6; ++i) {
    add_file(1'000'000);
  }

  const Result<StorageReading> reading =
      probe_storage(files_, {.most = Bytes{1'500'000}, .most_files = 5});

  ASSERT_TRUE(reading.ok());
  EXPECT_LE((*reading.value().warm).files, 2);
  EXPECT_LE((*reading.value().warm).bytes, 2'000'000);
}

TEST_F(StorageProbeTest, TheWritePermissionIsNotNeeded) {
  add_file(1000);
  fs::permissions(files_[0], fs::perms::owner_read);
  fs::permissions(tree_.root(), fs::perms::owner_read | fs::perms::owner_exec);

  const Result<StorageReading> reading = probe_storage(files_);

  fs::permissions(tree_.root(), fs::perms::owner_all);
  EXPECT_TRUE(reading.ok());
}

TEST_F(StorageProbeTest, FilesThatAreGoneAreCounted) {
  add_file(1000);
  files_.push_back(tree_.root() / "gone.wav");

  const Result<StorageReading> reading = probe_storage(files_);

  ASSERT_TRUE(reading.ok());
  EXPECT_EQ(reading.value().unreadable, 1);
}

TEST_F(StorageProbeTest, WithoutAReadableFileTheReasonIsSaid) {
  EXPECT_EQ(probe_storage({}).failure().what, "there are no files to read");
  EXPECT_THAT(probe_storage({tree_.root() / "gone.wav"}).failure().what,
              testing::HasSubstr("gone.wav: No such file"));
}

}  // namespace
}  // namespace qanat
