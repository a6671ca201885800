// The promise of MelExtractor that a loader is built on: a clip costs no allocation.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "features/mel_extractor.h"
#include "features/mel_testing.h"

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): operator new has no `this`
std::atomic<int> allocations = 0;

void* counted(void* block) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return block;
}

}  // namespace

// Count for the whole test program; otherwise what the library does. Not inlined: GCC would see
// free() meet memory of operator new and take it for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return counted(std::malloc(size));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto bytes = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(bytes, (size + bytes - 1) / bytes * bytes));
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t /*size*/) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block,
                                       std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}

namespace qanat {
namespace {

TEST(MelAllocationTest, ClipsCostNoneEvenTheFirst) {
  const std::vector<std::int16_t> pcm = stepped_noise(20'000);
  const std::vector<float> samples = to_float(pcm);
  std::vector<float> out(std::size_t{78} * 80);
  MelExtractor extractor;
  const int before = allocations;

  extractor.extract(pcm, out);
  extractor.extract(samples, out);

  EXPECT_GT(before, 0);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace qanat
