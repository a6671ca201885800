#include "batch/block_pool.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include "base/error.h"
#include "locale/message_error.h"

namespace qanat {
namespace {

class HostMemoryTest : public testing::TestWithParam<std::size_t> {};

TEST_P(HostMemoryTest, IsZeroedAndWritableToItsLastByte) {
  std::byte* memory = map_host_memory(GetParam(), "a test");

  const std::span all(memory, GetParam());
  EXPECT_TRUE(std::ranges::all_of(all, [](std::byte b) { return b == std::byte{0}; }));
  std::ranges::fill(all, std::byte{1});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U);

  unmap_host_memory(memory, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sizes,
                         HostMemoryTest,
                         testing::Values(1, 4096, 100'000, 2 << 20, (2 << 20) + 1, 5'000'001));

TEST(HostMemoryLimitTest, MoreThanThereIsIsAnErrorThatSaysWhatFor) {
  try {
    map_host_memory(std::size_t{1} << 60, "the moon");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the moon"), std::string::npos);
    const std::string persian = Translator(Language::fa).said(reason_of(error));
    EXPECT_NE(persian.find("the moon"), std::string::npos);
    EXPECT_EQ(persian.find("memory for"), std::string::npos);
  }
}

}  // namespace
}  // namespace qanat
