#include "text/number_scan.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(NumberScanTest, ReadsGroupsAndDecimals) {
  const auto number = scan_number("1,234,567.50 and");

  ASSERT_TRUE(number);
  EXPECT_EQ(number->integer, "1234567");
  EXPECT_EQ(number->fraction, "50");
  EXPECT_TRUE(number->grouped);
  EXPECT_EQ(number->length, 12U);
}

TEST(NumberScanTest, AListIsNotGrouped) {
  EXPECT_EQ(scan_number("1,23")->integer, "1");
  EXPECT_EQ(scan_number("1234,567")->integer, "1234");
  EXPECT_EQ(scan_number("12,3456")->integer, "12");
}

TEST(NumberScanTest, AFullStopBehindANumberIsNotItsOwn) {
  EXPECT_EQ(scan_number("1455.")->length, 4U);
}

TEST(NumberScanTest, NothingBeginsWithALetter) {
  EXPECT_FALSE(scan_number("a1"));
  EXPECT_FALSE(scan_number(""));
}

TEST(NumberScanTest, ValuesEndAtEighteenDigits) {
  EXPECT_EQ(to_value("999999999999999999"), 999'999'999'999'999'999U);
  EXPECT_FALSE(to_value("1000000000000000000"));
  EXPECT_FALSE(to_value(""));
}

TEST(NumberScanTest, TimesHaveTwoDigitMinutesBelowSixty) {
  EXPECT_EQ(scan_clock_time("9:05")->minute, 5);
  EXPECT_EQ(scan_clock_time("10:30:15")->second, 15);
  EXPECT_FALSE(scan_clock_time("10:60"));
  EXPECT_FALSE(scan_clock_time("25:00"));
  EXPECT_FALSE(scan_clock_time("3:1"));
  EXPECT_FALSE(scan_clock_time("3:123"));
}

TEST(NumberScanTest, DatesHaveOneYearAndOneKindOfSeparator) {
  EXPECT_EQ(scan_date("1402/05/12")->year, 1402);
  EXPECT_EQ(scan_date("5-12-2024")->first, 5);
  EXPECT_FALSE(scan_date("5-12/2024"));
  EXPECT_FALSE(scan_date("5/12"));
  EXPECT_FALSE(scan_date("13/13/2024"));
  EXPECT_FALSE(scan_date("0/12/2024"));
}

TEST(NumberScanTest, PhoneNumbersAreToldFromRanges) {
  EXPECT_TRUE(scan_phone_number("555-1234"));
  EXPECT_TRUE(scan_phone_number("(212) 555-1234"));
  EXPECT_TRUE(scan_phone_number("+98 912 123 4567"));
  EXPECT_TRUE(scan_phone_number("09121234567"));
  EXPECT_FALSE(scan_phone_number("100-1000"));
  EXPECT_FALSE(scan_phone_number("1914-1918"));
  EXPECT_FALSE(scan_phone_number("007"));
  EXPECT_FALSE(scan_phone_number("1234567"));
}

}  // namespace
}  // namespace qanat
