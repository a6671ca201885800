#include "text/persian_numbers.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(PersianNumbersTest, Cardinals) {
  EXPECT_EQ(persian_cardinal(0), "صفر");
  EXPECT_EQ(persian_cardinal(18), "هجده");
  EXPECT_EQ(persian_cardinal(21), "بیست و یک");
  EXPECT_EQ(persian_cardinal(1357), "هزار و سیصد و پنجاه و هفت");
  EXPECT_EQ(persian_cardinal(12'345), "دوازده هزار و سیصد و چهل و پنج");
  EXPECT_EQ(persian_cardinal(1'000'000), "یک میلیون");
  EXPECT_EQ(persian_cardinal(2'001'000), "دو میلیون و هزار");
  EXPECT_EQ(persian_cardinal(3'000'000'000), "سه میلیارد");
  EXPECT_EQ(persian_cardinal(5'000'000'000'000), "پنج تریلیون");
}

TEST(PersianNumbersTest, HundredsAreIrregular) {
  EXPECT_EQ(persian_cardinal(100), "صد");
  EXPECT_EQ(persian_cardinal(200), "دویست");
  EXPECT_EQ(persian_cardinal(300), "سیصد");
  EXPECT_EQ(persian_cardinal(400), "چهارصد");
  EXPECT_EQ(persian_cardinal(500), "پانصد");
  EXPECT_EQ(persian_cardinal(600), "ششصد");
  EXPECT_EQ(persian_cardinal(700), "هفتصد");
  EXPECT_EQ(persian_cardinal(800), "هشتصد");
  EXPECT_EQ(persian_cardinal(900), "نهصد");
}

TEST(PersianNumbersTest, OneThousandHasNoOne) {
  EXPECT_EQ(persian_cardinal(1000), "هزار");
  EXPECT_EQ(persian_cardinal(1100), "هزار و صد");
  EXPECT_EQ(persian_cardinal(21'000), "بیست و یک هزار");
}

TEST(PersianNumbersTest, Ordinals) {
  EXPECT_EQ(persian_ordinal(1), "اول");
  EXPECT_EQ(persian_ordinal(2), "دوم");
  EXPECT_EQ(persian_ordinal(3), "سوم");
  EXPECT_EQ(persian_ordinal(21), "بیست و یکم");
  EXPECT_EQ(persian_ordinal(23), "بیست و سوم");
  EXPECT_EQ(persian_ordinal(30), "سی‌ام");
  EXPECT_EQ(persian_ordinal(100), "صدم");
  EXPECT_EQ(persian_ordinal_before_noun(1), "اولین");
  EXPECT_EQ(persian_ordinal_before_noun(30), "سی‌امین");
}

TEST(PersianNumbersTest, DecimalsNameTheirPlace) {
  EXPECT_EQ(persian_decimals("5"), "پنج دهم");
  EXPECT_EQ(persian_decimals("14"), "چهارده صدم");
  EXPECT_EQ(persian_decimals("05"), "پنج صدم");
  EXPECT_EQ(persian_decimals("234"), "دویست و سی و چهار هزارم");
  EXPECT_EQ(persian_decimals("0001"), "یک ده‌هزارم");
  EXPECT_EQ(persian_decimals("00"), "صفر");
  EXPECT_EQ(persian_decimals("1234567"), "یک دو سه چهار پنج شش هفت");
}

TEST(PersianNumbersTest, DigitGroupsKeepTheirLeadingZeros) {
  EXPECT_EQ(persian_digit_group("0912"), "صفر نهصد و دوازده");
  EXPECT_EQ(persian_digit_group("05"), "صفر پنج");
  EXPECT_EQ(persian_digit_group("0"), "صفر");
}

}  // namespace
}  // namespace qanat
