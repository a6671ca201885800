// A data set gives the same batches from a folder, from a tar file, and from a tar file on a
// server, whatever that server does.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "archive/tar_testing.h"
#include "audio/audio_source.h"
#include "audio/wav_writer.h"
#include "base/files.h"
#include "dataset/training_sets.h"
#include "pipeline/audio_row_source.h"
#include "pipeline/clip_source.h"
#include "pipeline/fake_rows.h"
#include "pipeline/loader.h"
#include "store/store_testing.h"

namespace qanat {
namespace {

using ::testing::HasSubstr;

constexpr int kClips = 24;
constexpr SampleRate kClipRate{22050};

std::string clip_name(int number) {
  return fmt::format("clip{:02}", number);
}

std::string clip_text(int number) {
  return fmt::format("number {} of them", number);
}

std::string bytes_of_file(const std::filesystem::path& path) {
  return read_text_file(path).value();
}

// A folder with metadata.csv, and two tar files of the same clips.
class StoredSetTest : public ::testing::Test {
 protected:
  StoredSetTest() {
    std::filesystem::create_directories(folder() / "wavs");
    std::string list;
    for (int number = 0; number < kClips; ++number) {
      std::vector<float> wave(static_cast<std::size_t>(8000 + 700 * number));
      for (std::size_t i = 0; i < wave.size(); ++i) {
        wave[i] = 0.4F * std::sin(0.01F * static_cast<float>((number + 3) * (i % 1000)));
      }
      const std::filesystem::path wav = folder() / "wavs" / (clip_name(number) + ".wav");
      write_wav(wav, wave, kClipRate);
      list += fmt::format("{}|{}\n", clip_name(number), clip_text(number));
      std::string& shard = number < kClips / 2 ? first_ : second_;
      shard += tar_member(clip_name(number) + ".wav", bytes_of_file(wav)) +
               tar_member(clip_name(number) + ".txt", clip_text(number));
    }
    first_ += tar_end();
    second_ += tar_end();
    write_text_file(folder() / "metadata.csv", list);
    write_text_file(folder_.path() / "shard-0.tar", first_);
    write_text_file(folder_.path() / "shard-1.tar", second_);
  }

  std::filesystem::path folder() const { return folder_.path() / "set"; }

  // As a good server answers.
  TestAnswer answer(const TestAsk& ask) const {
    if (ask.path != "/set/shard-0.tar" && ask.path != "/set/shard-1.tar") {
      return plain_answer(404);
    }
    return range_answer(ask, ask.path == "/set/shard-0.tar" ? first_ : second_);
  }

  std::shared_ptr<const UtteranceSet> load(const std::string& data) const {
    const IndexSources sources{
        .probe_length =
            [](const std::filesystem::path& path) { return length_of(read_audio_header(path)); },
        .probe_stored =
            [](StoredClip clip) {
              return length_of(read_audio_header(to_audio_file(std::move(clip))));
            },
        .count_tokens = [](const Utterance& utterance) -> Result<TokenCount> {
          return TokenCount{std::ssize(utterance.text)};
        }};
    TrainingSetOptions options{
        .train_data = data,
        .language = Language::en,
        .store = {.timeout = Seconds(20), .cache = cache_, .folder = folder_.path() / "store"}};
    options.index.cache_folders = {folder_.path() / "lengths"};
    options.index.threads = 2;
    return std::make_shared<const UtteranceSet>(*load_utterance_set(data, options, sources));
  }

  // Digests of all batches of two epochs.
  std::vector<std::uint64_t> two_epochs(const std::string& data, int workers = 2) const {
    const std::shared_ptr<const UtteranceSet> set = load(data);
    const MelConfig mel;
    auto source = std::make_unique<AudioRowSource>(
        AudioRowInputs{.set = set,
                       .text = nullptr,
                       .read_tokens = [](const Utterance& utterance) -> Result<TokenIds> {
                         return TokenIds(utterance.text.begin(), utterance.text.end());
                       },
                       .mel = mel});
    Loader loader({.lengths = item_lengths(set->index, mel), .source = std::move(source)},
                  {.batching = {.batch_size = 4, .max_edges = 2},
                   .seed = 5,
                   .epochs = 2,
                   .workers = workers,
                   .window = 4});
    return digests(loader);
  }

 private:
  static Result<SampleCount> length_of(const Result<AudioHeader>& header) {
    return header ? Result<SampleCount>(header.value().samples)
                  : Result<SampleCount>(header.failure());
  }

 protected:
  const TemporaryFolder folder_;
  Bytes cache_ = mebibytes(64);
  std::string first_;
  std::string second_;
};

TEST_F(StoredSetTest, GivesTheSameBatchesFromAServer) {
  TestServer server([this](const TestAsk& ask) { return answer(ask); });

  const std::vector<std::uint64_t> from_folder = two_epochs(folder().string());

  EXPECT_EQ(from_folder.size(), 2 * kClips / 4);
  EXPECT_EQ(two_epochs((folder_.path() / "shard-{0..1}.tar").string()), from_folder);
  EXPECT_EQ(two_epochs(server.url("/set/shard-{0..1}.tar")), from_folder);
}

TEST_F(StoredSetTest, GivesTheSameBatchesFromABadServer) {
  TestServer server([this](const TestAsk& ask) {
    TestAnswer answered = answer(ask);
    if (ask.number % 5 == 1) {
      return plain_answer(503, "Retry-After: 0\r\n", "busy");
    }
    if (ask.number % 7 == 2) {
      answered.cut_after = answered.body.size() / 2;
    }
    if (ask.number % 11 == 3 && ask.range) {
      TestAsk wrong = ask;
      ++wrong.range->first;
      return answer(wrong);
    }
    return answered;
  });

  EXPECT_EQ(two_epochs(server.url("/set/shard-{0..1}.tar"), 4), two_epochs(folder().string()));
}

TEST_F(StoredSetTest, AShardThatChangesEndsTheRun) {
  cache_ = Bytes{0};  // what is kept is of the version that was indexed
  std::atomic<bool> is_changed = false;
  TestServer server([&](const TestAsk& ask) {
    return range_answer(ask, first_, is_changed ? "\"two\"" : "\"one\"");
  });
  const std::shared_ptr<const UtteranceSet> set = load(server.url("/set/shard-0.tar"));
  is_changed = true;
  const SetClips clips(set->manifest);

  try {
    const Result<AudioFile> file = clips.open(set->manifest.utterances.front());
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/set/shard-0.tar"));
    EXPECT_THAT(error.what(), HasSubstr("changed on the server"));
  }
}

TEST_F(StoredSetTest, NamesWhatIsNotThere) {
  TestServer server([this](const TestAsk& ask) { return answer(ask); });

  try {
    load(server.url("/set/other.tar"));
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(server.url("/set/other.tar")));
    EXPECT_THAT(error.what(), HasSubstr("not found"));
  }
}

TEST_F(StoredSetTest, GivesTheSameBatchesWithoutACache) {
  cache_ = Bytes{0};
  TestServer server([this](const TestAsk& ask) { return answer(ask); });

  EXPECT_EQ(two_epochs(server.url("/set/shard-{0..1}.tar")), two_epochs(folder().string()));
}

TEST_F(StoredSetTest, FetchesEveryByteOnce) {
  TestServer server([this](const TestAsk& ask) { return answer(ask); });

  two_epochs(server.url("/set/shard-{0..1}.tar"));

  // One byte of each says which version is there.
  EXPECT_EQ(server.sent(), std::ssize(first_) + std::ssize(second_) + 2);
}

TEST_F(StoredSetTest, FetchesNothingAtASecondStart) {
  TestServer server([this](const TestAsk& ask) { return answer(ask); });
  const std::vector<std::uint64_t> first = two_epochs(server.url("/set/shard-{0..1}.tar"));
  const std::int64_t sent = server.sent();

  EXPECT_EQ(two_epochs(server.url("/set/shard-{0..1}.tar")), first);
  EXPECT_EQ(server.sent() - sent, 2);
}

TEST_F(StoredSetTest, RemembersWhatIsInAShardWithoutACache) {
  cache_ = Bytes{0};
  TestServer server([this](const TestAsk& ask) { return answer(ask); });
  load(server.url("/set/shard-0.tar"));
  const std::int64_t sent = server.sent();

  load(server.url("/set/shard-0.tar"));

  EXPECT_EQ(server.sent() - sent, 1);
}

TEST_F(StoredSetTest, KnowsTheLengthsAtTheSecondStart) {
  TestServer server([this](const TestAsk& ask) { return answer(ask); });

  EXPECT_EQ(load(server.url("/set/shard-0.tar"))->index.origin.probed, kClips / 2);
  EXPECT_EQ(load(server.url("/set/shard-0.tar"))->index.origin.probed, 0);
}

}  // namespace
}  // namespace qanat
