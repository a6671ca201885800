#include "features/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::vector<std::uint16_t> all_halves() {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    halves[i] = static_cast<std::uint16_t>(i);
  }
  return halves;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  bits.reserve(values.size());
  for (const float value : values) {
    bits.push_back(std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}

// Every exponent, so that normal, subnormal, overflow, infinity and NaN all occur; and with them
// the exact ties between two halves.
std::vector<float> floats_of_every_kind() {
  std::mt19937 random(7);
  std::vector<float> values;
  values.reserve(400'000);
  for (int i = 0; i < 400'000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  for (std::uint32_t half = 0; half < 0x7C00U; ++half) {
    const float low = from_half(static_cast<std::uint16_t>(half));
    const float high = from_half(static_cast<std::uint16_t>(half + 1));
    values.push_back(low + (high - low) / 2);
  }
  return values;
}

TEST(HalfTest, KnownValues) {
  EXPECT_EQ(to_half(1.0F), 0x3C00);
  EXPECT_EQ(to_half(-2.0F), 0xC000);
  EXPECT_EQ(to_half(65504.0F), 0x7BFF);
  EXPECT_EQ(to_half(65520.0F), 0x7C00);  // a tie, to even: infinity
  EXPECT_EQ(to_half(0x1p-24F), 0x0001);
  EXPECT_EQ(to_half(0x1p-25F), 0x0000);  // a tie, to even: zero
  EXPECT_EQ(to_half(-0.0F), 0x8000);
  EXPECT_EQ(from_half(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(from_half(0x7E00)));
}

TEST(HalfTest, EveryNumberSurvivesTheWayThroughFloat) {
  const auto changed = [](std::uint16_t half) {
    const bool is_nan = (half & 0x7FFF) > 0x7C00;
    return !is_nan && to_half(from_half(half)) != half;
  };

  EXPECT_EQ(std::ranges::count_if(all_halves(), changed), 0);
}

TEST(HalfTest, TheArrayFormExpandsAsThePortableOne) {
  const std::vector<std::uint16_t> halves = all_halves();
  std::vector<float> portable;
  portable.reserve(halves.size());
  for (const std::uint16_t half : halves) {
    portable.push_back(from_half(half));
  }
  std::vector<float> values(halves.size());

  from_half(halves, values);

  EXPECT_EQ(bits_of(values), bits_of(portable));
}

TEST(HalfTest, TheArrayFormRoundsAsThePortableOne) {
  const std::vector<float> values = floats_of_every_kind();
  std::vector<std::uint16_t> portable;
  portable.reserve(values.size());
  for (const float value : values) {
    portable.push_back(to_half(value));
  }
  std::vector<std::uint16_t> halves(values.size());

  to_half(values, halves);

  EXPECT_EQ(halves, portable);
}

TEST(HalfTest, TheRestBehindTheLastEightIsConverted) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<std::uint16_t> halves(values.size());
  std::vector<float> back(values.size());

  to_half(values, halves);
  from_half(halves, back);

  EXPECT_EQ(back, values);
}

TEST(HalfTest, ALogMelLosesAtMostFourThousandths) {
  // |log mel| is below 16 (the floor is ln 1e-5 = -11.5): half a unit in the last place is 2^-8.
  std::mt19937 random(3);
  std::uniform_real_distribution<float> mel(-11.6F, 4.0F);
  float worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    const float value = mel(random);
    worst = std::max(worst, std::abs(from_half(to_half(value)) - value));
  }

  EXPECT_LE(worst, 0x1p-8F);
}

}  // namespace
}  // namespace qanat
