#include "base/utf8.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(Utf8Test, DecodesOneToFourByteSequences) {
  EXPECT_EQ(decode_utf8("aé\u200C😀"), U"aé\u200C😀");
}

TEST(Utf8Test, EncodingUndoesDecoding) {
  const std::string_view text = "aé می‌روم 😀";

  EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
}

struct Broken {
  std::string_view name;
  std::string bytes;
  std::u32string decoded;
};

class BrokenUtf8Test : public testing::TestWithParam<Broken> {};

TEST_P(BrokenUtf8Test, BecomesReplacementCharacters) {
  EXPECT_EQ(decode_utf8(GetParam().bytes), GetParam().decoded);
}

INSTANTIATE_TEST_SUITE_P(
    Utf8Test,
    BrokenUtf8Test,
    testing::Values(Broken{"LoneContinuation", "a\x80z", U"a\uFFFDz"},
                    Broken{"CutShort", "a\xE2\x80", U"a\uFFFD\uFFFD"},
                    Broken{"CutByALetter", "\xE2\x80z", U"\uFFFD\uFFFDz"},
                    Broken{"OverlongSlash", "\xC0\xAF", U"\uFFFD\uFFFD"},
                    Broken{"OverlongThreeBytes", "\xE0\x80\xAF", U"\uFFFD\uFFFD\uFFFD"},
                    Broken{"Surrogate", "\xED\xA0\x80", U"\uFFFD\uFFFD\uFFFD"},
                    Broken{"BeyondUnicode", "\xF4\x90\x80\x80", U"\uFFFD\uFFFD\uFFFD\uFFFD"},
                    Broken{"NoSuchFirstByte", "\xFFz", U"\uFFFDz"}),
    [](const auto& tested) { return std::string(tested.param.name); });

struct InvalidCase {
  std::string_view bytes;
  std::size_t position;
};

class InvalidUtf8Test : public testing::TestWithParam<InvalidCase> {};

TEST_P(InvalidUtf8Test, IsFoundAtItsPlace) {
  EXPECT_EQ(first_invalid_utf8(GetParam().bytes), GetParam().position);
}

INSTANTIATE_TEST_SUITE_P(Utf8,
                         InvalidUtf8Test,
                         testing::Values(InvalidCase{"caf\xE9", 3},           // Latin-1
                                         InvalidCase{"\x80", 0},              // continuation
                                         InvalidCase{"abcdefgh\xC0\xAF", 8},  // overlong '/'
                                         InvalidCase{"\xE0\x80\xAF", 0},      // overlong
                                         InvalidCase{"\xED\xA0\x80", 0},      // surrogate
                                         InvalidCase{"\xF4\x90\x80\x80", 0},  // above 10FFFF
                                         InvalidCase{"\xF5\x80\x80\x80", 0},
                                         InvalidCase{"ok \xD8", 3},  // cut short
                                         InvalidCase{"\xE2\x80", 0},
                                         InvalidCase{"\xE2\x80(", 0}));

TEST(Utf8Test, AcceptsEveryLengthOfSequence) {
  EXPECT_EQ(first_invalid_utf8("a\xC3\xA9\xE2\x80\x8C\xF0\x9F\x98\x80 سلام 0123456789"),
            std::nullopt);
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
}

TEST(Utf8Test, CountsCodePoints) {
  EXPECT_EQ(num_code_points("a\xC3\xA9\xF0\x9F\x98\x80"), 3U);
  EXPECT_EQ(num_code_points("سلام"), 4U);
}

TEST(Utf8Test, AnExcerptEndsBetweenCharacters) {
  EXPECT_EQ(excerpt("سلام دنیا", 4), "سلام…");
  EXPECT_EQ(excerpt("abc", 3), "abc");
  EXPECT_EQ(excerpt("", 3), "");
}

}  // namespace
}  // namespace qanat
