#include "dataset/repeated_audio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/dataset_testing.h"

namespace qanat {
namespace {

using testing::ElementsAre;

TEST(RepeatedAudioTest, OnlyEqualBytesCount) {
  const DatasetFolder folder;
  const std::string start(20'000, 's');
  folder.add_audio("wavs/a.wav", "first");
  folder.add_audio("wavs/b.wav", "other");
  folder.add_audio("wavs/c.wav", "longer one");
  folder.add_audio("wavs/d.wav", "first");
  folder.add_audio("wavs/e.wav", "first");
  folder.add_audio("wavs/f.wav", start + "one");
  folder.add_audio("wavs/g.wav", start + "two");
  folder.add_audio("wavs/h.wav", start + "one");
  folder.write("metadata.csv", "a|1\nb|2\nc|3\nd|4\ne|5\nf|6\ng|7\nh|8\n");
  const Manifest manifest = read_manifest({.data = folder.root()});
  DatasetIndex index;
  for (const Utterance& utterance : manifest.utterances) {
    index.entries.push_back(
        {.identity = read_file_identity(audio_path(manifest, utterance)).value(), .usable = true});
  }
  const std::vector<std::uint32_t> items = {0, 1, 2, 3, 4, 5, 6, 7};

  EXPECT_THAT(find_repeated_audio(manifest, index, items, {.threads = 2}),
              ElementsAre(RepeatedAudio{3, 0}, RepeatedAudio{4, 0}, RepeatedAudio{7, 5}));
}

}  // namespace
}  // namespace qanat
