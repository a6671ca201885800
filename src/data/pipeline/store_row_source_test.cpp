// Shards that are damaged while rows are taken out of them.
#include "pipeline/store_row_source.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "features/feature_store_folder.h"
#include "metrics/journal_testing.h"
#include "pipeline/precompute.h"
#include "pipeline/precompute_testing.h"

namespace qanat {
namespace {

constexpr std::uint64_t kStoreFingerprint = 42;
constexpr int kStoredUtterances = 40;

class StoreRowSourceTest : public testing::Test {
 protected:
  StoreRowSourceTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("qanat_store_row_source_test_" + std::to_string(::getpid()))),
        dataset_((std::filesystem::remove_all(folder_), folder_ / "data"), kStoredUtterances) {
    const TestSource source(dataset_);
    precompute({.manifest = dataset_.manifest(),
                .index = dataset_.index(),
                .source = source,
                .mel = test_mel(),
                .fingerprint = kStoreFingerprint},
               {.folder = features()});
  }
  StoreRowSourceTest(const StoreRowSourceTest&) = delete;
  StoreRowSourceTest& operator=(const StoreRowSourceTest&) = delete;
  ~StoreRowSourceTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path features() const { return folder_ / "features"; }

  StoreRowSource make_source(std::unique_ptr<RowSource> fallback) {
    return StoreRowSource({.set = std::make_shared<const UtteranceSet>(UtteranceSet{
                               .manifest = dataset_.manifest(), .index = dataset_.index()}),
                           .store = std::make_shared<const FeatureStore>(
                               FeatureStore::open(features(), kStoreFingerprint)),
                           .mel_bins = kTestMelBins,
                           .fallback = std::move(fallback),
                           .journal = &journal_});
  }

  // Exactly as large as the utterance, as the row of the longest one of a batch is.
  Result<FilledRow> fill(RowFiller& filler, std::uint32_t item) {
    const IndexEntry& entry = dataset_.index().entries[item];
    mel_.resize(static_cast<std::size_t>(mel_frames(entry.samples, test_mel()).value) *
                kTestMelBins);
    tokens_.resize(static_cast<std::size_t>(entry.tokens.value));
    return filler.fill(item, {.mel = mel_, .pcm = {}, .tokens = tokens_});
  }

  void shrink_the_shard() const { std::filesystem::resize_file(shard_path(features(), 0), 256); }

  std::filesystem::path folder_;
  TestDataset dataset_;
  EventList journal_;
  std::vector<float> mel_;
  std::vector<std::int32_t> tokens_;
};

TEST_F(StoreRowSourceTest, AShardThatShrinksFallsBackToAudioAndIsJournalledOncePerEntry) {
  const StoreRowSource source = make_source(std::make_unique<TestSource>(dataset_));
  const std::unique_ptr<RowFiller> filler = source.make_filler();
  ASSERT_EQ(fill(*filler, 39).value().origin, RowOrigin::store);
  const std::vector<float> stored = mel_;

  shrink_the_shard();

  EXPECT_EQ(fill(*filler, 39).value().origin, RowOrigin::audio);
  EXPECT_EQ(mel_, stored);
  EXPECT_EQ(fill(*filler, 39).value().origin, RowOrigin::audio);
  const std::vector<DamagedFeatures> told = journal_.events<DamagedFeatures>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].id, "utt-39");
  EXPECT_THAT(told[0].reason, testing::HasSubstr("shorter"));
}

TEST_F(StoreRowSourceTest, WithoutAFallbackDamageIsAFailureOfItsRow) {
  const StoreRowSource source = make_source(nullptr);
  const std::unique_ptr<RowFiller> filler = source.make_filler();
  shrink_the_shard();

  EXPECT_THAT(fill(*filler, 39).failure().what, testing::HasSubstr("utt-39 is damaged"));
}

}  // namespace
}  // namespace qanat
