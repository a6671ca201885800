#include "text/english_numbers.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(EnglishNumbersTest, Cardinals) {
  EXPECT_EQ(english_cardinal(0), "zero");
  EXPECT_EQ(english_cardinal(13), "thirteen");
  EXPECT_EQ(english_cardinal(42), "forty-two");
  EXPECT_EQ(english_cardinal(105), "one hundred five");
  EXPECT_EQ(english_cardinal(1'000'001), "one million one");
  EXPECT_EQ(english_cardinal(999'999),
            "nine hundred ninety-nine thousand nine hundred ninety-nine");
  EXPECT_EQ(english_cardinal(3'000'000'000'000'000), "three quadrillion");
}

TEST(EnglishNumbersTest, Ordinals) {
  EXPECT_EQ(english_ordinal(0), "zeroth");
  EXPECT_EQ(english_ordinal(12), "twelfth");
  EXPECT_EQ(english_ordinal(20), "twentieth");
  EXPECT_EQ(english_ordinal(22), "twenty-second");
  EXPECT_EQ(english_ordinal(101), "one hundred first");
  EXPECT_EQ(english_ordinal(1000), "one thousandth");
}

TEST(EnglishNumbersTest, Years) {
  EXPECT_EQ(english_year(1455), "fourteen fifty-five");
  EXPECT_EQ(english_year(1900), "nineteen hundred");
  EXPECT_EQ(english_year(1905), "nineteen oh five");
  EXPECT_EQ(english_year(2000), "two thousand");
  EXPECT_EQ(english_year(2005), "two thousand five");
  EXPECT_EQ(english_year(2024), "twenty twenty-four");
  EXPECT_EQ(english_year(1066), "ten sixty-six");
  EXPECT_EQ(english_year(1000), "one thousand");
}

TEST(EnglishNumbersTest, Decades) {
  EXPECT_EQ(english_decade(1980), "nineteen eighties");
  EXPECT_EQ(english_decade(1900), "nineteen hundreds");
  EXPECT_EQ(english_decade(2000), "two thousands");
  EXPECT_EQ(english_decade(2010), "twenty tens");
  EXPECT_EQ(english_decade(60), "sixties");
}

TEST(EnglishNumbersTest, Fractions) {
  EXPECT_EQ(english_fraction(1, 2), "one half");
  EXPECT_EQ(english_fraction(3, 2), "three halves");
  EXPECT_EQ(english_fraction(3, 4), "three quarters");
  EXPECT_EQ(english_fraction(2, 3), "two thirds");
  EXPECT_EQ(english_fraction(1, 100), "one one hundredth");
}

}  // namespace
}  // namespace qanat
