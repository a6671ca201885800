#include "text/normalise.h"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/tokenizer.h"

namespace qanat {
namespace {

TEST(NormaliseTest, PersianWordsInEnglishTextAreReadInPersian) {
  EXPECT_EQ(normalise_text("The word كتاب means book.", Language::en), "the word کتاب means book.");
  EXPECT_EQ(normalise_text("in سال ۱۳۵۷ here", Language::en),
            "in سال هزار و سیصد و پنجاه و هفت here");
}

TEST(NormaliseTest, EmptyTextStaysEmpty) {
  EXPECT_EQ(normalise_text("", Language::en), "");
  EXPECT_EQ(normalise_text(" \t\n", Language::fa), "");
}

TEST(NormaliseTest, BytesThatAreNotUtf8StayVisible) {
  EXPECT_EQ(normalise_text("caf\xE9 5", Language::en), "caf\uFFFD five");
}

TEST(NormaliseTest, WhatHasNoReadingStaysVisible) {
  EXPECT_EQ(normalise_text("a ☃ b", Language::en), "a ☃ b");
}

// Reading takes marks away; what then stands side by side is a short form in turn.
struct SettledCase {
  Language language;
  std::string_view raw;
  std::string_view spoken;
};

class NormaliseSettledTest : public testing::TestWithParam<SettledCase> {};

TEST_P(NormaliseSettledTest, ReadsWhatItLeft) {
  const auto& [language, raw, spoken] = GetParam();

  const std::string once = normalise_text(raw, language);

  EXPECT_EQ(once, spoken);
  EXPECT_EQ(normalise_text(once, language), once);
}

INSTANTIATE_TEST_SUITE_P(
    NormaliseTest,
    NormaliseSettledTest,
    testing::Values(SettledCase{Language::en, "Sm et al. .\xB1", "sm et al\uFFFD"},
                    SettledCase{Language::en, "et/al. said", "et al said"},
                    SettledCase{Language::en, "Ph.Dvs\xB1", "p h d versus\uFFFD"},
                    SettledCase{Language::fa, "رفت (/ره)", "رفت رحمت الله علیه"},
                    SettledCase{Language::fa, "امام (-ع) گفت", "امام علیه السلام گفت"},
                    SettledCase{Language::fa, "ساعت پنج ق/.ظ.~", "ساعت پنج قبل از ظهر~"},
                    SettledCase{Language::fa, "«ه/.ش", "«هجری شمسی"},
                    SettledCase{Language::fa, "میرو ی", "می‌روی"}));

// Texts drawn from pieces that the rules care about, in no sensible order.
std::string random_text(std::mt19937& random) {
  static constexpr std::string_view kPieces[] = {
      "1",   "23",   "456", "2024",    "0",      "۱",     "٣٤",   "۵۶۷۸",      ",",    ".",
      ":",   ";",    "/",   "-",       "+",      "%",     "$",    "£",         "°",    "(",
      ")",   "'",    "\"",  "?",       "!",      "…",     "—",    "–",         "،",    "؛",
      "؟",   "«",    "»",   "٪",       "٫",      "٬",     " ",    " ",         " ",    " ",
      "‌", "#",    "@",   "&",       "Mr.",    "St.",   "etc",  "No.",       "p.m.", "am",
      "I",   "V",    "XIV", "Charles", "the",    "May",   "word", "FBI",       "a.b.", "J.",
      "km",  "st",   "th",  "s",       "k",      "سلام",  "می",   "‌روم", "م",    "ام",
      "مین", "ه.ش",  "(ع)", "ص.",      "هزار",   "ك",     "ﻻ",    "é",         "æ",    "½",
      "²",   "\xFF", "😀",   "\u0640",  "\u200F", "\u064B"};
  std::uniform_int_distribution<std::size_t> piece(0, std::size(kPieces) - 1);
  std::uniform_int_distribution<int> length(1, 12);
  std::string text;
  for (int i = length(random); i > 0; --i) {
    text += kPieces[piece(random)];
  }
  return text;
}

class NormaliseAnythingTest : public testing::TestWithParam<Language> {};

TEST_P(NormaliseAnythingTest, TwiceChangesNothing) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string raw = random_text(random);
    const std::string once = normalise_text(raw, GetParam());

    ASSERT_EQ(normalise_text(once, GetParam()), once) << raw;
  }
}

TEST_P(NormaliseAnythingTest, LeavesNoDigitAndNoCapital) {
  std::mt19937 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const std::string raw = random_text(random);
    const std::u32string spoken = decode_utf8(normalise_text(raw, GetParam()));

    ASSERT_FALSE(std::ranges::any_of(spoken, [](char32_t c) {
      return digit_value(c).has_value() || (c >= U'A' && c <= U'Z');
    })) << raw;
  }
}

TEST_P(NormaliseAnythingTest, TextOfItsAlphabetHasNoUnknownSymbols) {
  const Tokenizer tokenizer;
  std::mt19937 random(3);
  const auto unreadable = [](std::string_view text) {
    return text.find("😀") != std::string_view::npos || text.find('\xFF') != std::string_view::npos;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string raw = random_text(random);

    const auto unknown = tokenizer.unknown_symbols(normalise_text(raw, GetParam()));

    ASSERT_TRUE(unknown.empty() || unreadable(raw)) << raw << " leaves " << unknown.front();
  }
}

INSTANTIATE_TEST_SUITE_P(NormaliseTest,
                         NormaliseAnythingTest,
                         testing::Values(Language::en, Language::fa),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

}  // namespace
}  // namespace qanat
