#include "pipeline/clip_source.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "audio/audio_source.h"
#include "audio/test_audio.h"

namespace qanat {
namespace {

class ClipSourceTest : public AudioFilesTest, public testing::WithParamInterface<SndfileFormat> {};

Utterance row(int line, const std::string& audio) {
  return {.id = audio, .audio = audio, .line = line};
}

std::vector<float> decoded(const AudioFile& file) {
  AudioDecoder decoder(SampleRate{22050});
  const Result<AudioSamples> samples = decoder.decode_as_held(file);
  EXPECT_TRUE(samples.ok()) << samples.failure().what;
  std::vector<float> values;
  std::visit([&](const auto held) { values.assign(held.begin(), held.end()); }, samples.value());
  return values;
}

TEST_P(ClipSourceTest, MemoryHoldsWhatTheFileHolds) {
  std::vector<float> tone(20000);
  for (std::size_t i = 0; i < tone.size(); ++i) {
    tone[i] = 0.5F * std::sin(0.05F * static_cast<float>(i));
  }
  write_sndfile(file("clip"), GetParam(), tone);
  const std::string bytes = read_bytes(file("clip"));
  const FileClips files(folder_);
  const MemoryClips memory(folder_, {{}, std::as_bytes(std::span(bytes.data(), bytes.size()))});

  const Result<AudioFile> in_file = files.open(row(1, "clip"));
  const Result<AudioFile> in_memory = memory.open(row(2, "anything"));

  ASSERT_TRUE(in_file.ok() && in_memory.ok());
  EXPECT_EQ(read_audio_header(in_memory.value()).value().samples,
            read_audio_header(in_file.value()).value().samples);
  EXPECT_EQ(decoded(in_memory.value()), decoded(in_file.value()));
  EXPECT_EQ(decoded(memory.open(row(1, "clip")).value()), decoded(in_file.value()));
}

TEST_P(ClipSourceTest, AContainerHoldsWhatTheFileHolds) {
  const std::vector<float> tone(20000, 0.25F);
  write_sndfile(file("clip"), GetParam(), tone);
  const std::string bytes = read_bytes(file("clip"));
  const std::string before(700, '\xFF');
  std::ofstream(file("container"), std::ios::binary) << before << bytes << bytes;
  ClipContainers containers;
  containers.push_back(std::make_unique<const FileContainer>(
      file("container"), read_file_identity(file("container")).value()));
  const Manifest manifest{
      .root = folder_, .containers = std::make_shared<const ClipContainers>(std::move(containers))};
  Utterance stored = row(1, "container/clip");
  stored.place = {.container = 1,
                  .offset = Bytes{static_cast<std::int64_t>(before.size())},
                  .size = Bytes{static_cast<std::int64_t>(bytes.size())}};
  const SetClips clips(manifest);

  EXPECT_EQ(read_audio_header(clips.open(stored).value()).value().samples,
            read_audio_header(FileClips(folder_).open(row(1, "clip")).value()).value().samples);
  EXPECT_EQ(decoded(clips.open(stored).value()),
            decoded(FileClips(folder_).open(row(1, "clip")).value()));
  EXPECT_EQ(decoded(open_clip(manifest, row(1, "clip")).value()),
            decoded(FileClips(folder_).open(row(1, "clip")).value()));
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         ClipSourceTest,
                         testing::Values(SndfileFormat{},
                                         SndfileFormat{.rate = 44100, .channels = 2},
                                         SndfileFormat{.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT},
                                         SndfileFormat{.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
                                         SndfileFormat{.format = SF_FORMAT_OGG | SF_FORMAT_VORBIS},
                                         SndfileFormat{.format = SF_FORMAT_AIFF |
                                                                 SF_FORMAT_PCM_24}));

TEST(MemoryClipsTest, OtherBytesAreAnotherVersion) {
  std::string bytes = "RIFF....";
  const auto identity_of = [&] {
    return MemoryClips("/", {std::as_bytes(std::span(bytes.data(), bytes.size()))})
        .identity(row(1, "x"))
        .value();
  };
  const FileIdentity before = identity_of();

  bytes[5] = '!';

  EXPECT_NE(identity_of(), before);
}

TEST(MemoryClipsTest, TextIsNoAudioAndNothingIsReadBehindTheEnd) {
  const std::string bytes = "no sound at all";
  const MemoryClips clips("/", {std::as_bytes(std::span(bytes.data(), bytes.size()))});
  const Result<AudioFile> file = clips.open(row(1, "row 0"));
  std::vector<std::byte> room(100);

  EXPECT_FALSE(read_audio_header(file.value()).ok());
  EXPECT_EQ(read_at(file.value(), Bytes{10}, room).value(), 5U);
  EXPECT_EQ(read_at(file.value(), Bytes{15}, room).value(), 0U);
  EXPECT_EQ(read_at(file.value(), Bytes{1000}, room).value(), 0U);
  EXPECT_EQ(clips.describe(row(1, "row 0")), "row 0");
}

}  // namespace
}  // namespace qanat
