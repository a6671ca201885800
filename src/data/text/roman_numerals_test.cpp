#include "text/roman_numerals.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(RomanNumeralsTest, ReadsTheUsualSpelling) {
  EXPECT_EQ(roman_value("I"), 1U);
  EXPECT_EQ(roman_value("IV"), 4U);
  EXPECT_EQ(roman_value("XIV"), 14U);
  EXPECT_EQ(roman_value("XCIX"), 99U);
  EXPECT_EQ(roman_value("MCMXLV"), 1945U);
  EXPECT_EQ(roman_value("MMMCMXCIX"), 3999U);
}

TEST(RomanNumeralsTest, RefusesEverythingElse) {
  EXPECT_FALSE(roman_value(""));
  EXPECT_FALSE(roman_value("IIII"));
  EXPECT_FALSE(roman_value("IIX"));
  EXPECT_FALSE(roman_value("IXI"));
  EXPECT_FALSE(roman_value("VIV"));
  EXPECT_FALSE(roman_value("IM"));
  EXPECT_FALSE(roman_value("iv"));
  EXPECT_FALSE(roman_value("MIX2"));
}

}  // namespace
}  // namespace qanat
