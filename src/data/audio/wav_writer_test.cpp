#include "audio/wav_writer.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "audio/audio_source.h"
#include "audio/test_audio.h"
#include "base/error.h"

namespace qanat {
namespace {

class WavWriterTest : public AudioFilesTest {};

TEST_F(WavWriterTest, WritesWhatTheDecoderReads) {
  const std::array samples = {0.0F, 0.5F, -0.5F, -1.0F};

  write_wav(file("a.wav"), samples, SampleRate{16000});

  EXPECT_EQ(read_audio_header(file("a.wav")).value(),
            (AudioHeader{.rate = SampleRate{16000},
                         .channels = 1,
                         .samples = SampleCount{4},
                         .encoding = "pcm_s16"}));
  AudioDecoder decoder(SampleRate{16000});
  EXPECT_THAT(decoder.decode(file("a.wav")).value(), testing::ElementsAreArray(samples));
}

TEST_F(WavWriterTest, WritesWhatLibsndfileReads) {
  write_wav(file("a.wav"), sine(440, 22050, 1000), SampleRate{22050});

  SF_INFO info{};
  SNDFILE* opened = sf_open(file("a.wav").c_str(), SFM_READ, &info);
  ASSERT_NE(opened, nullptr);
  EXPECT_EQ(info.frames, 1000);
  EXPECT_EQ(info.samplerate, 22050);
  EXPECT_EQ(info.format, SF_FORMAT_WAV | SF_FORMAT_PCM_16);
  sf_close(opened);
}

TEST_F(WavWriterTest, LeavesNothingBehindWhenItCannotWrite) {
  EXPECT_THROW(write_wav(file("no/such/a.wav"), std::array{0.0F}, SampleRate{22050}), Error);

  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace qanat
