#include "config/scalar.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

Scalar plain(std::string text) {
  return {.text = std::move(text), .quoted = false};
}

struct NumberCase {
  const char* text;
  double value;
};
class ScalarNumberTest : public testing::TestWithParam<NumberCase> {};
TEST_P(ScalarNumberTest, IsRead) {
  const std::optional<double> number = parse_number(plain(GetParam().text));

  EXPECT_EQ(number, GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(Forms,
                         ScalarNumberTest,
                         testing::Values(NumberCase{"1e-4", 1e-4},
                                         NumberCase{"1E+2", 100.0},
                                         NumberCase{"+.5", 0.5},
                                         NumberCase{"-3", -3.0},
                                         NumberCase{"16", 16.0}));

struct WholeCase {
  const char* text;
  std::int64_t value;
};
class ScalarWholeTest : public testing::TestWithParam<WholeCase> {};
TEST_P(ScalarWholeTest, IsRead) {
  const std::optional<std::int64_t> whole = parse_integer(plain(GetParam().text));

  EXPECT_EQ(whole, GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(Forms,
                         ScalarWholeTest,
                         testing::Values(WholeCase{"16", 16},
                                         WholeCase{"1e3", 1000},
                                         WholeCase{"16.0", 16},
                                         WholeCase{"+7", 7},
                                         WholeCase{"9223372036854775807", INT64_MAX}));

class ScalarNotWholeTest : public testing::TestWithParam<const char*> {};
TEST_P(ScalarNotWholeTest, IsRefused) {
  EXPECT_FALSE(parse_integer(plain(GetParam())));
}
INSTANTIATE_TEST_SUITE_P(
    Forms,
    ScalarNotWholeTest,
    testing::Values(
        "1.5", "many", "", "1e300", "nan", "inf", "16 ", "+-3", "0x10", "1_000", "1e-3"));

class ScalarNotNumberTest : public testing::TestWithParam<const char*> {};
TEST_P(ScalarNotNumberTest, IsRefused) {
  EXPECT_FALSE(parse_number(plain(GetParam())));
}
INSTANTIATE_TEST_SUITE_P(Forms,
                         ScalarNotNumberTest,
                         testing::Values("nan", "inf", "-inf", "1e999", "", "1,5", "one", "."));

struct SwitchCase {
  const char* text;
  bool value;
};
class ScalarSwitchTest : public testing::TestWithParam<SwitchCase> {};
TEST_P(ScalarSwitchTest, IsRead) {
  const std::optional<bool> value = parse_bool(plain(GetParam().text));

  EXPECT_EQ(value, GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(Words,
                         ScalarSwitchTest,
                         testing::Values(SwitchCase{"true", true},
                                         SwitchCase{"Yes", true},
                                         SwitchCase{"ON", true},
                                         SwitchCase{"false", false},
                                         SwitchCase{"no", false},
                                         SwitchCase{"off", false}));

TEST(ScalarTest, QuotesMakeANumberText) {
  EXPECT_FALSE(parse_integer({.text = "16", .quoted = true}));
  EXPECT_TRUE(parse_string({.text = "16", .quoted = true}));
}

TEST(ScalarTest, TextHasToBeUtf8WithoutZeroBytes) {
  EXPECT_TRUE(parse_string(plain("صدا")));
  EXPECT_FALSE(parse_string(plain("\xff")));
  EXPECT_FALSE(parse_string(plain(std::string("a\0b", 3))));
  EXPECT_FALSE(parse_string(plain("")));
}

TEST(ScalarTest, WordsForNoValueCountOnlyWithoutQuotes) {
  EXPECT_TRUE(is_unset(plain("auto")));
  EXPECT_TRUE(is_unset(plain("None")));
  EXPECT_FALSE(is_unset({.text = "none", .quoted = true}));
  EXPECT_FALSE(is_unset(plain("0")));
}

}  // namespace
}  // namespace qanat
