#include "pipeline/item_arena.h"

#include <array>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

namespace qanat {
namespace {

const std::byte* keep_number(ItemArena& arena, std::uint32_t item, std::size_t bytes, int number) {
  std::byte* memory = arena.reserve(bytes);
  if (memory == nullptr) {
    return nullptr;
  }
  std::memcpy(memory, &number, sizeof(number));
  arena.keep(item, memory);
  return memory;
}

int number_at(const std::byte* memory) {
  int number = 0;
  std::memcpy(&number, memory, sizeof(number));
  return number;
}

TEST(ItemArenaTest, FindsWhatWasKeptAndNothingElse) {
  ItemArena arena(10, mebibytes(1));
  keep_number(arena, 3, 100, 42);

  ASSERT_NE(arena.find(3), nullptr);
  EXPECT_EQ(number_at(arena.find(3)), 42);
  EXPECT_EQ(arena.find(4), nullptr);
}

TEST(ItemArenaTest, NeverExceedsItsBudgetAndNeverLetsGo) {
  ItemArena arena(1000, Bytes{1'000'000});
  int kept = 0;
  for (std::uint32_t item = 0; item < 1000; ++item) {
    kept += keep_number(arena, item, 10'000, static_cast<int>(item)) != nullptr ? 1 : 0;
  }

  EXPECT_LE(arena.bytes().value, 1'000'000);
  EXPECT_GE(kept, 95);  // of the 100 that would fit without rounding
  for (int item = 0; item < kept; ++item) {
    EXPECT_EQ(number_at(arena.find(static_cast<std::uint32_t>(item))), item);
  }
}

TEST(ItemArenaTest, TheFirstToKeepAnItemWins) {
  ItemArena arena(1, mebibytes(1));
  const std::byte* first = keep_number(arena, 0, 64, 1);
  keep_number(arena, 0, 64, 2);

  EXPECT_EQ(arena.find(0), first);
}

TEST(ItemArenaTest, HoldsItemsLargerThanItsUsualChunk) {
  ItemArena arena(1, mebibytes(64));

  EXPECT_NE(keep_number(arena, 0, std::size_t{20} << 20, 7), nullptr);
}

TEST(ItemArenaTest, ABudgetOfNothingKeepsNothing) {
  ItemArena arena(1, Bytes{0});

  EXPECT_EQ(arena.reserve(1), nullptr);
  EXPECT_EQ(arena.bytes(), Bytes{0});
}

TEST(ItemArenaTest, ManyThreadsKeepAndFind) {
  constexpr std::uint32_t kItems = 400;
  ItemArena arena(kItems, mebibytes(64));
  const auto use = [&arena](std::uint32_t item) {
    if (const std::byte* found = arena.find(item)) {
      EXPECT_EQ(number_at(found), static_cast<int>(item));
    } else {
      keep_number(arena, item, 1000, static_cast<int>(item));
    }
  };
  const auto use_all = [&use] {
    for (std::uint32_t item = 0; item < kItems; ++item) {
      use(item);
    }
  };
  {
    const std::array<std::jthread, 4> threads{
        std::jthread(use_all), std::jthread(use_all), std::jthread(use_all), std::jthread(use_all)};
  }

  for (std::uint32_t item = 0; item < kItems; ++item) {
    EXPECT_EQ(number_at(arena.find(item)), static_cast<int>(item));
  }
}

}  // namespace
}  // namespace qanat
