#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "features/shard_testing.h"
#include "features/shard_view.h"
#include "features/shard_writer.h"

namespace qanat {
namespace {

class ShardTest : public testing::TestWithParam<MelDtype> {
 protected:
  ShardTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("qanat_shard_test_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ShardTest() override { std::filesystem::remove_all(folder_); }

  AlignedBytes write_shard(int num_utterances) {
    ShardWriter writer(folder_ / "a",
                       {.fingerprint = 42, .dtype = GetParam(), .mel_bins = kTestBins});
    for (int i = 0; i < num_utterances; ++i) {
      writer.add(make_features(i).record());
    }
    expected_size_ = writer.size();
    writer.commit();
    return AlignedBytes(MappedFile::open(folder_ / "a").value().bytes());
  }

  std::filesystem::path folder_;
  Bytes expected_size_;
};

std::vector<std::string> ids(const ShardView& view) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < view.size(); ++i) {
    all.emplace_back(view.entry(i).id);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Dtypes,
                         ShardTest,
                         testing::Values(MelDtype::f32, MelDtype::f16),
                         [](const auto& given) { return std::string(to_string(given.param)); });

TEST_P(ShardTest, WhatWasWrittenIsRead) {
  AlignedBytes shard = write_shard(3);
  const TestFeatures second = make_features(1);

  const Result<ShardView> view = ShardView::open(shard.bytes());

  ASSERT_TRUE(view.ok()) << view.failure().what;
  EXPECT_EQ(view.value().settings(),
            (ShardSettings{.fingerprint = 42, .dtype = GetParam(), .mel_bins = kTestBins}));
  EXPECT_THAT(ids(view.value()), testing::ElementsAre("utt-0", "utt-1", "utt-2"));
  EXPECT_EQ(view.value().entry(1).key, second.key);
  EXPECT_EQ(view.value().entry(1).frames, FrameCount{5});
  EXPECT_THAT(view.value().tokens(1), testing::ElementsAreArray(second.tokens));
  EXPECT_TRUE(view.value().intact(1));
}

TEST_P(ShardTest, EveryMelStartsOnACacheLine) {
  AlignedBytes shard = write_shard(3);

  const Result<ShardView> view = ShardView::open(shard.bytes());

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.value().mel(2).data()) % 64, 0U);
}

TEST_P(ShardTest, TheWriterKnowsItsSize) {
  AlignedBytes shard = write_shard(3);

  EXPECT_EQ(expected_size_.value, static_cast<std::int64_t>(shard.bytes().size()));
}

TEST_P(ShardTest, AShardWithoutEntriesIsAShard) {
  AlignedBytes shard = write_shard(0);

  EXPECT_EQ(ShardView::open(shard.bytes()).value().size(), 0U);
}

// Any one bit, anywhere: either the shard is refused, or exactly one entry is.
TEST_P(ShardTest, EveryDamagedByteIsNoticed) {
  AlignedBytes shard = write_shard(4);
  const std::span<std::byte> bytes = shard.bytes();
  std::vector<std::size_t> unnoticed;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::byte flip{static_cast<unsigned char>(1U << (i % 8))};
    bytes[i] ^= flip;
    const Result<ShardView> view = ShardView::open(bytes);
    int damaged = 0;
    for (std::size_t k = 0; view.ok() && k < view.value().size(); ++k) {
      damaged += view.value().intact(k) ? 0 : 1;
    }
    if (view.ok() && damaged != 1) {
      unnoticed.push_back(i);
    }
    bytes[i] ^= flip;
  }

  EXPECT_THAT(unnoticed, testing::IsEmpty());
}

TEST_P(ShardTest, EveryShorterFileIsRefused) {
  AlignedBytes shard = write_shard(2);
  std::vector<std::size_t> accepted;
  for (std::size_t size = 0; size < shard.bytes().size(); ++size) {
    if (ShardView::open(shard.bytes().first(size)).ok()) {
      accepted.push_back(size);
    }
  }

  EXPECT_THAT(accepted, testing::IsEmpty());
}

TEST_P(ShardTest, AnotherVersionIsRefusedByName) {
  AlignedBytes shard = write_shard(1);
  ShardHeader header{};
  std::memcpy(&header, shard.bytes().data(), sizeof header);
  header.version = 2;
  header.checksum =
      content_hash(std::as_bytes(std::span(&header, 1)).first(offsetof(ShardHeader, checksum)));
  std::memcpy(shard.bytes().data(), &header, sizeof header);

  EXPECT_THAT(ShardView::open(shard.bytes()).failure().what,
              testing::HasSubstr("version 2; expected 1"));
}

TEST_P(ShardTest, AFullDiskIsAnErrorAndLeavesNoShard) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full on this system";
  }
  std::filesystem::create_symlink("/dev/full", folder_ / ("a.part-" + std::to_string(::getpid())));

  EXPECT_THROW(ShardWriter(folder_ / "a", ShardSettings{}), Error);

  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

}  // namespace
}  // namespace qanat
