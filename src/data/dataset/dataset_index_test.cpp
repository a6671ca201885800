#include "dataset/dataset_index.h"

#include <atomic>
#include <chrono>
#include <stop_token>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "dataset/dataset_testing.h"
#include "dataset/index_cache.h"
#include "locale/says_testing.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A set whose audio is as long as its bytes and whose texts have a token per byte. Counts what is
// asked.
class DatasetIndexTest : public testing::Test {
 protected:
  void fill(int count) {
    std::string rows;
    for (int i = 0; i < count; ++i) {
      const std::string id = fmt::format("u{}", i);
      folder_.add_audio("wavs/" + id + ".wav", std::string(static_cast<std::size_t>(i) + 1, 's'));
      rows += id + "|" + std::string(static_cast<std::size_t>(i % 7) + 1, 't') + "\n";
    }
    folder_.write("metadata.csv", rows);
  }
  IndexSources sources(std::uint64_t settings_hash = 1) {
    return {.probe_length = [this](const std::filesystem::path& path) -> Result<SampleCount> {
              ++probes_;
              const std::string bytes = read_text_file(path).value();
              if (bytes == "broken") {
                return Failure{"not audio"};
              }
              return SampleCount{static_cast<std::int64_t>(bytes.size())};
            },
            .count_tokens = [this](const Utterance& utterance) -> Result<TokenCount> {
              ++counts_;
              if (utterance.text == "unspeakable") {
                return Failure{"no tokens"};
              }
              return TokenCount{static_cast<std::int64_t>(utterance.text.size())};
            },
            .settings_hash = settings_hash};
  }
  // Reads the manifest and builds; afterwards probes_ and counts_ are those of this build.
  DatasetIndex build(const IndexOptions& options, std::uint64_t settings_hash = 1) {
    probes_ = 0;
    counts_ = 0;
    return build_index(read_manifest({.data = folder_.root()}), sources(settings_hash), options)
        .value();
  }
  DatasetIndex build() { return build({.cache_folders = {cache_}}); }
  std::filesystem::path cache_file(std::uint64_t settings_hash = 1) const {
    return cache_ / index_cache_name(read_manifest({.data = folder_.root()}), settings_hash);
  }

  DatasetFolder folder_;
  std::filesystem::path cache_ = folder_.root() / "cache";
  std::atomic<int> probes_ = 0;
  std::atomic<int> counts_ = 0;
};

TEST_F(DatasetIndexTest, KnowsTheLengthsOfEveryUtterance) {
  fill(3);

  const DatasetIndex index = build({});

  ASSERT_EQ(index.entries.size(), 3U);
  EXPECT_EQ(index.entries[2].samples, SampleCount{3});
  EXPECT_EQ(index.entries[2].tokens, TokenCount{3});
  EXPECT_EQ(index.entries[2].identity, read_file_identity(folder_.root() / "wavs/u2.wav").value());
  EXPECT_TRUE(index.entries[2].usable);
  EXPECT_TRUE(index.origin.cache.empty());
}

TEST_F(DatasetIndexTest, DoesNotDependOnTheNumberOfThreads) {
  fill(500);
  folder_.add_audio("wavs/u7.wav", "broken");
  folder_.add_audio("wavs/u400.wav", "broken");
  const DatasetIndex one = build({.threads = 1});

  const DatasetIndex seven = build({.threads = 7});

  EXPECT_EQ(seven.entries, one.entries);
  EXPECT_EQ(seven.failures, one.failures);
  EXPECT_EQ(seven.failures.size(), 2U);
}

TEST_F(DatasetIndexTest, ABrokenFileIsAFailureNotAnEntry) {
  fill(2);
  folder_.add_audio("wavs/u1.wav", "broken");

  const DatasetIndex index = build({});

  EXPECT_TRUE(index.entries[0].usable);
  EXPECT_FALSE(index.entries[1].usable);
  EXPECT_THAT(index.failures,
              ElementsAre(IndexFailure{1, ProblemKind::unreadable_audio, "not audio"}));
}

TEST_F(DatasetIndexTest, AFolderOrADanglingLinkInPlaceOfAudioIsAFailure) {
  fill(1);
  std::filesystem::create_directory(folder_.root() / "wavs/d.wav");
  std::filesystem::create_symlink("nowhere", folder_.root() / "wavs/l.wav");
  folder_.write("metadata.csv", "u0|t\nd|t\nl|t\n");

  const DatasetIndex index = build({});

  ASSERT_EQ(index.failures.size(), 2U);
  EXPECT_THAT(index.failures[0].reason, Says("not a regular file"));
  EXPECT_THAT(index.failures[1].reason, Says(HasSubstr("No such file")));
}

TEST_F(DatasetIndexTest, ATextWithoutTokensIsAFailure) {
  fill(1);
  folder_.write("metadata.csv", "u0|unspeakable\n");

  EXPECT_THAT(build({}).failures,
              ElementsAre(IndexFailure{0, ProblemKind::untokenizable_text, "no tokens"}));
}

TEST_F(DatasetIndexTest, TheSecondBuildAsksNothing) {
  fill(100);
  const DatasetIndex first = build();
  EXPECT_EQ(probes_, 100);
  EXPECT_EQ(first.origin.probed, 100);

  const DatasetIndex second = build();

  EXPECT_EQ(probes_, 0);
  EXPECT_EQ(counts_, 0);
  EXPECT_EQ(second.origin.reused, 100);
  EXPECT_EQ(second.origin.cache, cache_file());
  EXPECT_EQ(second.entries, first.entries);
}

TEST_F(DatasetIndexTest, FilesThatTheCacheKnowsNeedNotBeAsked) {
  fill(5);
  const DatasetIndex first = build();
  folder_.add_audio("wavs/u0.wav", "changed since");

  const DatasetIndex second = build({.cache_folders = {cache_}, .files = FileCheck::unknown_files});

  EXPECT_TRUE(first.origin.is_cached);
  EXPECT_EQ(second.entries, first.entries);
  EXPECT_EQ(probes_, 0);
}

TEST_F(DatasetIndexTest, FilesThatTheCacheDoesNotKnowAreAskedInAnyCase) {
  fill(5);
  build();
  fill(6);

  const DatasetIndex index = build({.cache_folders = {cache_}, .files = FileCheck::unknown_files});

  EXPECT_EQ(probes_, 1);
  EXPECT_TRUE(index.entries[5].usable);
}

TEST_F(DatasetIndexTest, OnlyAChangedFileIsProbedAgain) {
  fill(10);
  build();
  folder_.add_audio("wavs/u4.wav", "longer than before");

  const DatasetIndex index = build();

  EXPECT_EQ(probes_, 1);
  EXPECT_EQ(counts_, 0);
  EXPECT_EQ(index.entries[4].samples, SampleCount{18});
}

TEST_F(DatasetIndexTest, AFileOfTheSameSizeButAnotherTimeIsProbedAgain) {
  fill(10);
  build();
  const std::filesystem::path file = folder_.root() / "wavs/u4.wav";
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));

  build();

  EXPECT_EQ(probes_, 1);
}

TEST_F(DatasetIndexTest, OnlyAChangedTextIsCountedAgain) {
  fill(2);
  build();
  folder_.write("metadata.csv", "u0|t\nu1|four\n");

  const DatasetIndex index = build();

  EXPECT_EQ(probes_, 0);
  EXPECT_EQ(counts_, 1);
  EXPECT_EQ(index.entries[1].tokens, TokenCount{4});
}

TEST_F(DatasetIndexTest, AddedRemovedAndReorderedRowsReuseTheRest) {
  fill(6);
  build();
  folder_.add_audio("wavs/new.wav", "12345678");
  folder_.write("metadata.csv", "u5|tttttt\nnew|t\nu1|tt\nu3|tttt\n");

  const DatasetIndex index = build();

  EXPECT_EQ(probes_, 1);
  EXPECT_EQ(index.entries[0].samples, SampleCount{6});
  EXPECT_EQ(index.entries[1].samples, SampleCount{8});
  EXPECT_EQ(index.entries[2].samples, SampleCount{2});
  build();
  EXPECT_EQ(probes_, 0);
}

TEST_F(DatasetIndexTest, OtherSettingsAskEverythingAndKeepTheFormerCache) {
  fill(5);
  build();

  build({.cache_folders = {cache_}}, 2);

  EXPECT_EQ(probes_, 5);
  EXPECT_EQ(counts_, 5);
  build();
  EXPECT_EQ(probes_, 0);
}

TEST_F(DatasetIndexTest, AnotherManifestInTheSameFolderHasItsOwnCache) {
  fill(5);
  build();
  folder_.write("other.csv", "u1|tt\n");
  const Manifest other = read_manifest({.data = folder_.root() / "other.csv"});
  ASSERT_TRUE(build_index(other, sources(), {.cache_folders = {cache_}}).has_value());

  build();

  EXPECT_EQ(probes_, 0);
}

TEST_F(DatasetIndexTest, ADamagedCacheIsRebuiltAndThatIsSaidOnce) {
  fill(5);
  build();
  std::string bytes = read_text_file(cache_file()).value();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_text_file(cache_file(), bytes);

  const DatasetIndex index = build();

  EXPECT_EQ(probes_, 5);
  EXPECT_THAT(index.origin.notes,
              ElementsAre(Says(HasSubstr("checksum differs; measuring again"))));
  EXPECT_THAT(build().origin.notes, IsEmpty());
  EXPECT_EQ(probes_, 0);
}

TEST_F(DatasetIndexTest, ABrokenFileIsAskedAgainUntilItIsRepaired) {
  fill(3);
  folder_.add_audio("wavs/u1.wav", "broken");
  build();
  build();
  EXPECT_EQ(probes_, 1);
  folder_.add_audio("wavs/u1.wav", "repaired");

  EXPECT_THAT(build().failures, IsEmpty());
  build();
  EXPECT_EQ(probes_, 0);
}

TEST_F(DatasetIndexTest, TheFirstFolderThatCanBeWrittenHoldsTheCache) {
  fill(2);
  folder_.write("file", "a file is no folder");

  const DatasetIndex index = build({.cache_folders = {folder_.root() / "file", cache_}});

  EXPECT_EQ(index.origin.cache, cache_file());
  EXPECT_THAT(index.origin.notes, IsEmpty());
}

TEST_F(DatasetIndexTest, WithoutAPlaceToWriteItStillWorksAndSaysSo) {
  fill(2);
  folder_.write("file", "a file is no folder");

  const DatasetIndex index = build({.cache_folders = {folder_.root() / "file"}});

  EXPECT_EQ(index.entries.size(), 2U);
  EXPECT_FALSE(index.origin.is_cached);
  EXPECT_THAT(index.origin.notes, ElementsAre(Says(HasSubstr("the index is not cached"))));
}

TEST_F(DatasetIndexTest, StopKeepsWhatWasMeasuredAndWhatWasKnown) {
  fill(2000);
  build();
  folder_.add_audio("wavs/u0.wav", "changed now");
  std::stop_source source;
  IndexSources stopping = sources();
  stopping.probe_length = [&](const std::filesystem::path&) -> Result<SampleCount> {
    source.request_stop();
    return SampleCount{77};
  };

  const auto stopped =
      build_index(read_manifest({.data = folder_.root()}),
                  stopping,
                  {.threads = 2, .cache_folders = {cache_}, .stop = source.get_token()});

  EXPECT_FALSE(stopped.has_value());
  EXPECT_EQ(build().entries[0].samples, SampleCount{77});
  EXPECT_EQ(probes_, 0);
}

TEST_F(DatasetIndexTest, SelectTakesEntriesAndTheirFailures) {
  fill(4);
  folder_.add_audio("wavs/u2.wav", "broken");
  const DatasetIndex index = build({});
  const std::vector<std::uint32_t> items = {3, 2};

  const DatasetIndex part = select(index, items);

  EXPECT_EQ(part.entries[0], index.entries[3]);
  EXPECT_THAT(part.failures,
              ElementsAre(IndexFailure{1, ProblemKind::unreadable_audio, "not audio"}));
}

}  // namespace
}  // namespace qanat
