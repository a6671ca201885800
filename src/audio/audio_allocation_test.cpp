// The promise of AudioDecoder that a loader is built on: plain files cost no allocation.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "audio/test_audio.h"

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): operator new has no `this`
std::atomic<int> allocations = 0;

}  // namespace

// Counts for the whole test program; otherwise what the library does.
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* block = std::malloc(size)) {
    return block;
  }
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t /*size*/) noexcept {
  std::free(block);
}

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
  const int before = allocations;

  const bool decoded = decoder.decode(short_path) && decoder.decode(long_path) &&
                       decoder.decode_pcm16(short_path) && decoder.decode_pcm16(long_path);

  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(decoded);
}

}  // namespace
}  // namespace qanat
