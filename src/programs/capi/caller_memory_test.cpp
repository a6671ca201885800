#include "capi/caller_memory.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

// Counts what it gives and gets back.
struct CountedMemory {
  std::map<void*, std::size_t> given{};
  int released = 0;
  bool refuses = false;
  std::size_t shift = 0;  // off the alignment
  std::int32_t ended = 0;

  qanat_allocator functions() {
    return {.context = this, .allocate = allocate, .release = release, .ended = &ended};
  }

  static void* allocate(void* context, std::size_t bytes) {
    auto& self = *static_cast<CountedMemory*>(context);
    if (self.refuses) {
      return nullptr;
    }
    const std::size_t size = (bytes / QANAT_ALIGNMENT + 2) * QANAT_ALIGNMENT;
    void* memory = static_cast<std::byte*>(std::aligned_alloc(QANAT_ALIGNMENT, size)) + self.shift;
    self.given[memory] = bytes;
    return memory;
  }
  static void release(void* context, void* memory, std::size_t bytes) {
    auto& self = *static_cast<CountedMemory*>(context);
    EXPECT_EQ(self.given.at(memory), bytes);
    self.given.erase(memory);
    ++self.released;
    std::free(static_cast<std::byte*>(memory) - self.shift);
  }
};

TEST(CallerMemoryTest, NothingGivenIsTheLoadersOwnMemory) {
  EXPECT_FALSE(make_blocks_of(nullptr));
}

TEST(CallerMemoryTest, BlocksComeFromTheCallerAndGoBackOnce) {
  CountedMemory memory;
  const qanat_allocator functions = memory.functions();
  auto pool = std::make_shared<BlockPool>(1000, make_blocks_of(&functions)());

  std::byte* first = pool->borrow();
  std::byte* second = pool->borrow();

  EXPECT_EQ(memory.given.size(), 2U);
  EXPECT_EQ(memory.given.at(first), 1000U);
  pool->give_back(first);
  pool->give_back(second);
  pool->trim(1);
  EXPECT_EQ(memory.released, 1);
  pool.reset();
  EXPECT_EQ(memory.released, 2);
  EXPECT_TRUE(memory.given.empty());
}

TEST(CallerMemoryTest, SurplusIsOutOfThePoolBeforeItIsFreed) {
  CountedMemory memory;
  const qanat_allocator functions = memory.functions();
  const auto pool = std::make_shared<BlockPool>(1000, make_blocks_of(&functions)());
  pool->add_block();
  pool->add_block();

  {
    const SurplusBlocks surplus = pool->trim(0);
    EXPECT_EQ(pool->stats().blocks, 0);
    EXPECT_EQ(memory.released, 0);
  }
  EXPECT_EQ(memory.released, 2);
}

TEST(CallerMemoryTest, NoMemoryIsAnError) {
  CountedMemory memory{.refuses = true};
  const qanat_allocator functions = memory.functions();
  BlockPool pool(1000, make_blocks_of(&functions)());

  EXPECT_THROW(pool.borrow(), Error);
  EXPECT_EQ(pool.stats().blocks, 0);
}

TEST(CallerMemoryTest, MemoryOffTheAlignmentGoesBackAndIsAnError) {
  CountedMemory memory{.shift = 8};
  const qanat_allocator functions = memory.functions();
  BlockPool pool(1000, make_blocks_of(&functions)());

  EXPECT_THROW(pool.borrow(), Error);
  EXPECT_TRUE(memory.given.empty());
}

TEST(CallerMemoryTest, NothingIsCalledAfterTheCallerEnded) {
  CountedMemory memory;
  const qanat_allocator functions = memory.functions();
  auto pool = std::make_shared<BlockPool>(1000, make_blocks_of(&functions)());
  pool->add_block();

  memory.ended = 1;
  pool.reset();

  EXPECT_EQ(memory.released, 0);
  std::free(memory.given.begin()->first);  // what stayed with the caller
}

}  // namespace
}  // namespace qanat
