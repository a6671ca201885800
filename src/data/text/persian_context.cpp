#include <algorithm>
#include <array>
#include <string_view>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/persian_readers.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::size_t kLookBehind = 96;  // bytes
constexpr std::size_t kLookAhead = 64;

constexpr std::array kCurrencyWords = {
#include "text/persian_currency_words_rows.inc"
};

constexpr std::array<string_view, 6> kMagnitudeWords = {
    "هزار", "میلیون", "میلیارد", "تریلیون", "ملیون", "ملیارد"};

constexpr std::array<string_view, 9> kTimeWords = {
    "ساعت", "روز", "ماه", "سال", "هفته", "دقیقه", "ثانیه", "ساعته", "ساله"};

// Units in words, by how they begin.
constexpr std::array kMeasureStems = {
#include "text/persian_measure_stems_rows.inc"
};

constexpr std::array<string_view, 8> kDayParts = {
    "صبح", "ظهر", "عصر", "شب", "بامداد", "بعدازظهر", "غروب", "نیمه‌شب"};

constexpr std::array kPhoneWords = {
#include "text/persian_phone_words_rows.inc"
};
constexpr std::array<string_view, 3> kCardWords = {"کارت", "کارتم", "حساب"};
constexpr std::array<string_view, 3> kClockWords = {"ساعت", "ساعات", "رأس"};
constexpr std::array<string_view, 9> kDateWords = {
    "تاریخ", "مورخ", "مورخه", "متولد", "تولد", "تاریخ‌های", "سررسید", "انقضا", "صدور"};
constexpr std::array<string_view, 4> kYearWords = {"سال", "سال‌های", "سالهای", "در"};
constexpr std::array<string_view, 4> kRatioWords = {"نسبت", "مقیاس", "ابعاد", "تصویر"};

constexpr std::array kScoreWords = {
#include "text/persian_score_words_rows.inc"
};

bool parts_words(char byte) {
  return string_view(" \t,.:;()!?\"'/-#").find(byte) != string_view::npos;
}

// نسخه is also نسخهٔ and نسخه‌ی.
bool is_form_of(string_view token, string_view word) {
  if (!token.starts_with(word)) {
    return false;
  }
  const string_view ending = token.substr(word.size());
  return ending.empty() || ending == "\u0654" || ending == "\u0650" || ending == "‌ی" ||
         ending == "ی";
}

bool is_any_form(string_view token, std::span<const string_view> words) {
  return std::ranges::any_of(words, [&](string_view word) { return is_form_of(token, word); });
}

string_view last_bytes(string_view text, std::size_t count) {
  return text.substr(text.size() - std::min(text.size(), count));
}

string_view next_word(string_view after) {
  after = skip_spaces(after.substr(0, kLookAhead));
  const auto* end = std::ranges::find_if(after, parts_words);
  return after.substr(0, static_cast<std::size_t>(end - after.begin()));
}

}  // namespace

bool starts_with_persian_letter(string_view text) {
  std::size_t at = 0;
  return !text.empty() && is_arabic_letter(next_code_point(text, at));
}

bool ends_with_persian_letter(string_view text) {
  // All of them take two bytes once presentation forms are folded away.
  return text.size() >= 2 && starts_with_persian_letter(text.substr(text.size() - 2));
}

string_view leading_persian_letters(string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size() && is_arabic_letter(next_code_point(text, at));) {
    end = at;
  }
  return text.substr(0, end);
}

bool persian_word_before(string_view before,
                         std::span<const string_view> words,
                         std::size_t reach) {
  before = last_bytes(before, kLookBehind);
  while (reach > 0 && !before.empty()) {
    if (parts_words(before.back())) {
      if (string_view(".;!?").find(before.back()) != string_view::npos) {
        return false;  // another sentence
      }
      before.remove_suffix(1);
      continue;
    }
    std::size_t begin = before.size();
    while (begin > 0 && !parts_words(before[begin - 1])) {
      --begin;
    }
    if (is_any_form(before.substr(begin), words)) {
      return true;
    }
    before = before.substr(0, begin);
    --reach;
  }
  return false;
}

bool persian_word_follows(string_view after, std::span<const string_view> words) {
  const string_view word = next_word(after);
  return std::ranges::find(words, word) != words.end();
}

bool currency_follows(string_view after) {
  return persian_word_follows(after, kCurrencyWords);
}

bool magnitude_follows(string_view after) {
  return persian_word_follows(after, kMagnitudeWords);
}

bool time_unit_follows(string_view after) {
  return persian_word_follows(after, kTimeWords);
}

bool measure_follows(string_view after) {
  const string_view next = skip_spaces(after.substr(0, kLookAhead));
  const auto begins = [&](string_view stem) { return next.starts_with(stem); };
  return next.starts_with('%') || std::ranges::any_of(kMeasureStems, begins) ||
         currency_follows(after) || magnitude_follows(after) || time_unit_follows(after) ||
         find_persian_unit(next).has_value();
}

bool part_of_day_follows(string_view after) {
  return persian_word_follows(after, kDayParts);
}

bool behind_phone_word(string_view before) {
  return persian_word_before(before, kPhoneWords, 4);
}

bool behind_card_word(string_view before) {
  return persian_word_before(before, kCardWords, 4);
}

bool behind_clock_word(string_view before) {
  return persian_word_before(before, kClockWords, 1) ||
         persian_word_before(before, std::array<string_view, 1>{"ساعت"}, 3);
}

bool behind_date_word(string_view before) {
  return persian_word_before(before, kDateWords, 3);
}

bool behind_year_word(string_view before) {
  return persian_word_before(before, kYearWords, 1);
}

bool behind_ratio_word(string_view before) {
  return persian_word_before(before, kRatioWords, 2);
}

bool among_score_words(string_view before, string_view after) {
  if (persian_word_before(before, kScoreWords, 7)) {
    return true;
  }
  after = after.substr(0, kLookAhead);
  for (int words = 0; words < 4 && !after.empty(); ++words) {
    const string_view word = next_word(after);
    if (is_any_form(word, kScoreWords)) {
      return true;
    }
    const string_view rest =
        skip_spaces(after).substr(std::min(word.size(), skip_spaces(after).size()));
    after =
        rest.empty() || word.empty() ? rest.substr(std::min<std::size_t>(1, rest.size())) : rest;
  }
  return false;
}

}  // namespace qanat
