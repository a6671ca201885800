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
#include "features/feature_store_writer.h"
#include "features/shard_reader.h"
#include "features/shard_testing.h"

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
  ShardTest(const ShardTest&) = delete;
  ShardTest& operator=(const ShardTest&) = delete;
  ~ShardTest() override { std::filesystem::remove_all(folder_); }

  std::vector<std::byte> write_shard(int num_utterances) {
    ShardWriter writer(folder_ / "a",
                       {.fingerprint = 42, .dtype = GetParam(), .mel_bins = kTestBins});
    for (int i = 0; i < num_utterances; ++i) {
      writer.add(make_features(i).record());
    }
    expected_size_ = writer.size();
    writer.commit();
    const MappedFile file = MappedFile::open(folder_ / "a").value();
    return {file.bytes().begin(), file.bytes().end()};
  }

  std::filesystem::path folder_;
  Bytes expected_size_;
};

std::vector<std::string> ids(const ShardReader& view) {
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
  std::vector<std::byte> shard = write_shard(3);
  const TestFeatures second = make_features(1);

  const Result<ShardReader> view = open_in_memory(shard);

  ASSERT_TRUE(view.ok()) << view.failure().what;
  EXPECT_EQ(view.value().settings(),
            (ShardSettings{.fingerprint = 42, .dtype = GetParam(), .mel_bins = kTestBins}));
  EXPECT_THAT(ids(view.value()), testing::ElementsAre("utt-0", "utt-1", "utt-2"));
  EXPECT_EQ(view.value().entry(1).key, second.key);
  EXPECT_EQ(view.value().entry(1).frames, FrameCount{5});
  std::vector<float> mel(second.mel.size());
  std::vector<std::int32_t> tokens(second.tokens.size());
  PageBuffer scratch;
  ASSERT_TRUE(view.value().read(1, {.mel = mel, .tokens = tokens}, scratch).ok());
  EXPECT_EQ(tokens, second.tokens);
  EXPECT_THAT(mel, testing::Pointwise(testing::FloatNear(0.01F), second.mel));
  EXPECT_TRUE(view.value().check(1, scratch).ok());
}

// Not only when it is first read.
TEST_P(ShardTest, ABlockThatChangesLaterIsNoticed) {
  std::vector<std::byte> shard = write_shard(3);
  const ShardReader reader = open_in_memory(shard).value();
  const TestFeatures first = make_features(0);
  std::vector<float> mel(first.mel.size());
  std::vector<std::int32_t> tokens(first.tokens.size());
  const FeatureRoom room{.mel = mel, .tokens = tokens};
  PageBuffer scratch;
  ASSERT_TRUE(reader.read(0, room, scratch).ok());

  shard[sizeof(ShardHeader) + 3] ^= std::byte{1};

  EXPECT_THAT(reader.read(0, room, scratch).failure().what, testing::HasSubstr("checksum"));
  EXPECT_FALSE(reader.check(0, scratch).ok());
}

TEST_P(ShardTest, TheWriterKnowsItsSize) {
  std::vector<std::byte> shard = write_shard(3);

  EXPECT_EQ(expected_size_.value, static_cast<std::int64_t>(shard.size()));
}

TEST_P(ShardTest, AShardWithoutEntriesIsAShard) {
  std::vector<std::byte> shard = write_shard(0);

  EXPECT_EQ(open_in_memory(shard).value().size(), 0U);
}

// Any one bit, anywhere: either the shard is refused, or exactly one entry is.
TEST_P(ShardTest, EveryDamagedByteIsNoticed) {
  std::vector<std::byte> shard = write_shard(4);
  const std::span<std::byte> bytes = shard;
  std::vector<std::size_t> unnoticed;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::byte flip{static_cast<unsigned char>(1U << (i % 8))};
    bytes[i] ^= flip;
    const Result<ShardReader> view = open_in_memory(bytes);
    PageBuffer scratch;
    int damaged = 0;
    for (std::size_t k = 0; view.ok() && k < view.value().size(); ++k) {
      damaged += view.value().check(k, scratch).ok() ? 0 : 1;
    }
    if (view.ok() && damaged != 1) {
      unnoticed.push_back(i);
    }
    bytes[i] ^= flip;
  }

  EXPECT_THAT(unnoticed, testing::IsEmpty());
}

TEST_P(ShardTest, EveryShorterFileIsRefused) {
  std::vector<std::byte> shard = write_shard(2);
  std::vector<std::size_t> accepted;
  for (std::size_t size = 0; size < shard.size(); ++size) {
    if (open_in_memory(std::span(shard).first(size)).ok()) {
      accepted.push_back(size);
    }
  }

  EXPECT_THAT(accepted, testing::IsEmpty());
}

TEST_P(ShardTest, AnotherVersionIsRefusedByName) {
  std::vector<std::byte> shard = write_shard(1);
  ShardHeader header{};
  std::memcpy(&header, shard.data(), sizeof header);
  header.version = 2;
  header.checksum =
      content_hash(std::as_bytes(std::span(&header, 1)).first(offsetof(ShardHeader, checksum)));
  std::memcpy(shard.data(), &header, sizeof header);

  EXPECT_THAT(open_in_memory(shard).failure().what, testing::HasSubstr("version 2; expected 1"));
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
