// Sessions whose data set is rows that the caller has.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session_testing.h"
#include "base/content_hash.h"
#include "capi/loader_session.h"

namespace qanat {
namespace {

constexpr Seconds kPatience{60};

// The clips of a data set as bytes in memory.
struct GivenClips {
  std::vector<std::string> bytes;
  std::vector<std::string> texts;
  std::vector<qanat_row> rows;

  GivenClips(const SmallDataSet& data, int count, const std::vector<const char*>& speakers = {}) {
    const std::filesystem::path root = *data.config().data.train_data;
    for (int i = 0; i < count; ++i) {
      std::ifstream file(root / "wavs" / ("clip" + std::to_string(i) + ".wav"), std::ios::binary);
      bytes.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
      texts.push_back("this is clip number " + std::to_string(i));
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      rows.push_back({.bytes = bytes[i].data(),
                      .num_bytes = bytes[i].size(),
                      .text = texts[i].c_str(),
                      .speaker = speakers.empty() ? nullptr : speakers[i % speakers.size()],
                      .weight = 1});
    }
  }
};

LoaderSettings settings_for(const SmallDataSet& data) {
  LoaderSettings settings{.config = data.config()};
  settings.config.data.train_data.reset();
  return settings;
}

// Hashes of everything in so many batches, but for the gaps between the arrays.
std::vector<std::uint64_t> contents(LoaderSession& session, int batches) {
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < batches; ++i) {
    SharedBatch batch;
    while (!batch) {
      batch = session.take(kPatience);
    }
    std::uint64_t hash = content_hash(std::as_bytes(batch->mel()));
    hash = content_hash(std::as_bytes(batch->pcm()), hash);
    hash = content_hash(std::as_bytes(batch->tokens()), hash);
    hash = content_hash(std::as_bytes(batch->mel_lengths()), hash);
    hash = content_hash(std::as_bytes(batch->sample_lengths()), hash);
    hashes.push_back(content_hash(std::as_bytes(batch->items()), hash));
  }
  return hashes;
}

// As often as each item comes.
std::map<std::uint32_t, int> counts(LoaderSession& session, int batches) {
  std::map<std::uint32_t, int> times;
  for (int i = 0; i < batches; ++i) {
    SharedBatch batch;
    while (!batch) {
      batch = session.take(kPatience);
    }
    for (const std::uint32_t item : batch->items()) {
      ++times[item];
    }
  }
  return times;
}

class LoaderSoundTest : public testing::TestWithParam<BatchSound> {};

TEST_P(LoaderSoundTest, RowsInMemoryAreThoseOfTheFolderToTheBit) {
  const SmallDataSet data;
  const GivenClips given(data, 12);
  LoaderSettings settings{.config = data.config()};
  settings.sound = GetParam();
  LoaderSession folder(settings);
  settings.config.data.train_data.reset();
  LoaderSession rows(settings, {}, copy_rows(given.rows));
  ASSERT_TRUE(folder.wait_until_open(kPatience));
  ASSERT_TRUE(rows.wait_until_open(kPatience));

  EXPECT_EQ(contents(rows, 9), contents(folder, 9));
}

TEST_P(LoaderSoundTest, FromMemoryOfEarlierEpochsTheyAreTheSame) {
  const SmallDataSet data;
  const GivenClips given(data, 12);
  LoaderSettings settings = settings_for(data);
  settings.sound = GetParam();
  LoaderSession plain(settings, {}, copy_rows(given.rows));
  settings.config.pipeline.feature_cache = Megabytes{64};
  LoaderSession cached(settings, {}, copy_rows(given.rows));
  ASSERT_TRUE(plain.wait_until_open(kPatience));
  ASSERT_TRUE(cached.wait_until_open(kPatience));

  EXPECT_EQ(contents(cached, 9), contents(plain, 9));
  EXPECT_GT(cached.stats().from_cache, 0);
}

INSTANTIATE_TEST_SUITE_P(Sounds,
                         LoaderSoundTest,
                         testing::Values(BatchSound::mel, BatchSound::audio, BatchSound::both));

TEST(LoaderRowsTest, BothIsWhatEachOfTheTwoIs) {
  const SmallDataSet data;
  const GivenClips given(data, 12);
  std::map<BatchSound, SharedBatch> taken;
  for (const BatchSound sound : {BatchSound::mel, BatchSound::audio, BatchSound::both}) {
    LoaderSettings settings = settings_for(data);
    settings.sound = sound;
    settings.mel.sample_rate = SampleRate{24000};  // resampled: floats and PCM differ
    LoaderSession session(settings, {}, copy_rows(given.rows));
    ASSERT_TRUE(session.wait_until_open(kPatience));
    while (!taken[sound]) {
      taken[sound] = session.take(kPatience);
    }
  }

  EXPECT_TRUE(std::ranges::equal(taken[BatchSound::both]->mel(), taken[BatchSound::mel]->mel()));
  EXPECT_TRUE(std::ranges::equal(taken[BatchSound::both]->pcm(), taken[BatchSound::audio]->pcm()));
  EXPECT_TRUE(std::ranges::equal(taken[BatchSound::both]->sample_lengths(),
                                 taken[BatchSound::audio]->sample_lengths()));
}

TEST(LoaderRowsTest, WithoutTokensAnyTextWillDo) {
  const SmallDataSet data;
  GivenClips given(data, 4);
  given.rows[0].text = "你好";
  given.rows[0].language = "zh";
  given.rows[1].text = nullptr;
  LoaderSettings settings = settings_for(data);
  settings.text = TextUse::kept;
  LoaderSession session(settings, {}, copy_rows(given.rows));
  ASSERT_TRUE(session.wait_until_open(kPatience));

  EXPECT_EQ(session.facts()["utterances"], 4);
  EXPECT_EQ(session.facts()["symbols"], 0);
  EXPECT_EQ(session.text_of(0), "你好");
  EXPECT_EQ(session.utterance(0)["language"], "zh");
  EXPECT_TRUE(session.utterance(1)["language"].is_null());
  EXPECT_FALSE(session.has_tokens());
}

TEST(LoaderRowsTest, TokensOfTheRowsAreThoseOfTheBatch) {
  const SmallDataSet data;
  GivenClips given(data, 4);
  const std::vector<std::vector<std::int32_t>> tokens = {{5}, {6, 7}, {8, 9, 10}, {900, 1, 2, 3}};
  for (std::size_t i = 0; i < 4; ++i) {
    given.rows[i].text = "你好";
    given.rows[i].language = "zh";
    given.rows[i].tokens = tokens[i].data();
    given.rows[i].num_tokens = tokens[i].size();
  }
  LoaderSession session(settings_for(data), {}, copy_rows(given.rows));
  ASSERT_TRUE(session.wait_until_open(kPatience));
  SharedBatch batch;
  while (!batch) {
    batch = session.take(kPatience);
  }

  EXPECT_EQ(session.facts()["symbols"], 901);
  for (int row = 0; row < 4; ++row) {
    const auto& expected = tokens[batch->items()[static_cast<std::size_t>(row)]];
    const auto count =
        static_cast<std::size_t>(batch->token_lengths()[static_cast<std::size_t>(row)]);
    EXPECT_THAT(batch->token_row(row).first(count), testing::ElementsAreArray(expected));
  }
}

TEST(LoaderRowsTest, LengthsAreRememberedOnlyWhereTheSettingsSaySo) {
  const SmallDataSet data;
  const GivenClips given(data, 4);
  LoaderSettings settings = settings_for(data);
  const std::filesystem::path cache = *settings.config.data.cache_dir;
  const auto open = [&] {
    LoaderSession session(settings, {}, copy_rows(given.rows));
    ASSERT_TRUE(session.wait_until_open(kPatience));
  };

  settings.config.data.cache_dir.reset();
  open();
  EXPECT_FALSE(std::filesystem::exists(cache));
  settings.config.data.cache_dir = cache.string();
  open();
  EXPECT_FALSE(std::filesystem::is_empty(cache));
  open();
}

TEST(LoaderRowsTest, BalancedSpeakersHaveEqualShares) {
  const SmallDataSet data;
  const GivenClips given(data, 12, {"a", "a", "a", "b"});  // 9 and 3 rows
  LoaderSettings settings = settings_for(data);
  settings.balance = Balance::speakers;
  LoaderSession session(settings, {}, copy_rows(given.rows));
  ASSERT_TRUE(session.wait_until_open(kPatience));
  std::map<std::string, int> of_speaker;
  std::map<std::uint32_t, int> times = counts(session, 3 * 10);
  for (const auto& [item, count] : times) {
    of_speaker[session.utterance(item)["speaker"]] += count;
  }

  EXPECT_EQ(times.size(), 12U);
  EXPECT_NEAR(of_speaker["a"], 60, 10);
  EXPECT_NEAR(of_speaker["b"], 60, 10);
}

TEST(LoaderRowsTest, WeightsOfRowsAndSpeakersMultiply) {
  const SmallDataSet data;
  GivenClips given(data, 12, {"a", "b", "c"});
  given.rows[0].weight = 0;
  LoaderSettings settings = settings_for(data);
  settings.speaker_weights = {{"b", 0}};
  LoaderSession session(settings, {}, copy_rows(given.rows));
  ASSERT_TRUE(session.wait_until_open(kPatience));

  const std::map<std::uint32_t, int> times = counts(session, 3 * 4);

  for (const auto& [item, count] : times) {
    EXPECT_NE(item, 0U);
    EXPECT_NE(session.utterance(item)["speaker"], "b");
  }
}

TEST(LoaderRowsTest, WeightsThatCannotBeAreRefused) {
  const SmallDataSet data;
  const GivenClips given(data, 4);
  LoaderSettings settings = settings_for(data);
  settings.speaker_weights = {{"", 0}};
  LoaderSession none(settings, {}, copy_rows(given.rows));
  EXPECT_THROW(none.wait_until_open(kPatience), Error);
  settings.speaker_weights = {{"", 2}};
  settings.config.pipeline.shuffle = false;
  LoaderSession ordered(settings, {}, copy_rows(given.rows));
  EXPECT_THROW(ordered.wait_until_open(kPatience), Error);
}

TEST(LoaderRowsTest, DamagedRowsAreNamed) {
  const SmallDataSet data;
  GivenClips given(data, 12);
  given.bytes[1] = "no sound";
  given.rows[1].bytes = given.bytes[1].data();
  given.rows[1].num_bytes = given.bytes[1].size();
  // The header is fine, so this is found out when the row is filled.
  float not_a_number = std::numeric_limits<float>::quiet_NaN();
  given.bytes[2].replace(20, 2, std::string("\3\0", 2));       // float samples
  given.bytes[2].replace(32, 4, std::string("\4\0\40\0", 4));  // of 4 bytes, 32 bits
  given.bytes[2].replace(100, 4, reinterpret_cast<const char*>(&not_a_number), 4);
  LoaderSettings settings = settings_for(data);
  settings.config.pipeline.max_bad_fraction = 1;
  settings.text = TextUse::none;  // half as many frames would be fewer than tokens
  LoaderSession session(settings, {}, copy_rows(given.rows));
  ASSERT_TRUE(session.wait_until_open(kPatience));
  EXPECT_EQ(session.damaged()["left_out"][0]["problem"], "unreadable_audio");
  EXPECT_EQ(session.damaged()["left_out"][0]["row"], 2);

  counts(session, 6);
  session.close();

  const nlohmann::json failed = session.damaged()["failed"];
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0]["row"], 3);
  EXPECT_GE(failed[0]["times"], 2);
  EXPECT_THAT(failed[0]["reason"].get<std::string>(), testing::HasSubstr("row 2"));
}

TEST(LoaderRowsTest, AFolderIsReadAsRows) {
  const SmallDataSet data;
  data.write_manifest("metadata_train.csv", 0, 8, {"anna"});
  data.write_manifest("metadata_eval.csv", 8, 12);
  LoaderSettings settings{.config = data.config()};

  const nlohmann::json rows = read_rows(settings);

  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[0]["speaker"], "anna");
  EXPECT_EQ(rows[0]["part"], 1);
  EXPECT_EQ(rows[11]["part"], 2);
  EXPECT_TRUE(std::filesystem::exists(rows[11]["path"].get<std::string>()));
}

}  // namespace
}  // namespace qanat
