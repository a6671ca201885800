#include "dataset/index_cache.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/dataset_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;

IndexCache two_records() {
  return {.settings_hash = 7,
          .lengths = {{.audio_key = 1,
                       .text_key = 2,
                       .identity = {.size = Bytes{3}, .modified_ns = 4},
                       .samples = 5,
                       .tokens = 6},
                      {.audio_key = 11}}};
}

Result<IndexCache> parse(std::string_view bytes) {
  return parse_index_cache(std::as_bytes(std::span(bytes)));
}

TEST(IndexCacheTest, ComesBackAsItWas) {
  const Result<IndexCache> cache = parse(to_bytes(two_records()));

  ASSERT_TRUE(cache.ok());
  EXPECT_EQ(cache.value().settings_hash, 7U);
  EXPECT_EQ(cache.value().lengths, two_records().lengths);
}

TEST(IndexCacheTest, AnEmptyOneComesBack) {
  EXPECT_TRUE(parse(to_bytes({})).ok());
}

TEST(IndexCacheTest, AnyFlippedByteIsFound) {
  const std::string whole = to_bytes(two_records());

  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    EXPECT_FALSE(parse(bytes).ok()) << "byte " << i;
  }
}

TEST(IndexCacheTest, AnyMissingByteIsFound) {
  const std::string whole = to_bytes(two_records());

  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse(std::string_view(whole).substr(0, size)).ok()) << size << " bytes";
  }
}

TEST(IndexCacheTest, AnotherFileIsNotACache) {
  EXPECT_THAT(parse(std::string(100, 'x')).failure().what, HasSubstr("not an index cache"));
}

TEST(IndexCacheTest, AnotherVersionIsSaid) {
  std::string bytes = to_bytes(two_records());
  bytes[8] = 9;

  EXPECT_THAT(parse(bytes).failure().what, HasSubstr("version 9; expected 1"));
}

TEST(IndexCacheTest, NamesDifferBySetAndSettings) {
  const DatasetFolder folder;
  const Manifest set{.root = folder.root(), .sources = {"metadata.csv"}};
  const Manifest same{.root = folder.root() / "wavs/..", .sources = {"metadata.csv"}};
  const Manifest other_folder{.root = folder.root() / "wavs", .sources = {"metadata.csv"}};
  const Manifest other_file{.root = folder.root(), .sources = {"other.csv"}};

  EXPECT_EQ(index_cache_name(set, 1), index_cache_name(same, 1));
  EXPECT_NE(index_cache_name(set, 1), index_cache_name(set, 2));
  EXPECT_NE(index_cache_name(set, 1), index_cache_name(other_folder, 1));
  EXPECT_NE(index_cache_name(set, 1), index_cache_name(other_file, 1));
}

TEST(IndexCacheTest, TheUsersFolderComesBeforeTheDataSets) {
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_THAT(index_cache_folders("/data"), testing::ElementsAre("/x/qanat", "/data/.qanat"));

  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/u", 1);
  EXPECT_THAT(index_cache_folders("/data"),
              testing::ElementsAre("/home/u/.cache/qanat", "/data/.qanat"));

  ::unsetenv("HOME");
  EXPECT_THAT(index_cache_folders("/data"), testing::ElementsAre("/data/.qanat"));
}

}  // namespace
}  // namespace qanat
