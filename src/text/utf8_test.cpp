#include "text/utf8.h"

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

}  // namespace
}  // namespace qanat
