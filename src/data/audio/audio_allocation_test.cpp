// The promise of AudioDecoder that a loader is built on: plain files cost no allocation.
#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "audio/test_allocations.h"
#include "audio/test_audio.h"

namespace qanat {
namespace {

class AudioAllocationTest : public AudioFilesTest {};

TEST_F(AudioAllocationTest, PlainFilesCostNone) {
  AudioDecoder decoder(SampleRate{22050});
  write_sndfile(file("long.wav"), {}, sine(440, 22050, 30'000));
  write_sndfile(file("short.wav"), {}, sine(440, 22050, 20'000));
  const auto long_path = file("long.wav");
  const auto short_path = file("short.wav");
  ASSERT_TRUE(decoder.decode(long_path));
  const int before = num_allocations();

  const bool decoded = decoder.decode(short_path) && decoder.decode(long_path) &&
                       decoder.decode_pcm16(short_path) && decoder.decode_pcm16(long_path);

  EXPECT_EQ(num_allocations() - before, 0);
  EXPECT_TRUE(decoded);
}

TEST_F(AudioAllocationTest, OtherFilesAreCounted) {
  AudioDecoder decoder(SampleRate{22050});
  write_sndfile(file("a.wav"), {.channels = 2}, sine(440, 22050, 20'000));
  const int before = num_allocations();

  EXPECT_TRUE(decoder.decode(file("a.wav")));

  EXPECT_GT(num_allocations() - before, 0);
}

}  // namespace
}  // namespace qanat
