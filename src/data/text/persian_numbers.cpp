#include "text/persian_numbers.h"

#include <algorithm>
#include <array>
#include <optional>

namespace qanat {
namespace {

using std::string_view;

constexpr std::array kPersianSmall = {
#include "text/persian_small_rows.inc"
};

constexpr std::array<string_view, 10> kPersianTens = {
    "", "", "بیست", "سی", "چهل", "پنجاه", "شصت", "هفتاد", "هشتاد", "نود"};

constexpr std::array<string_view, 10> kHundreds = {
    "", "صد", "دویست", "سیصد", "چهارصد", "پانصد", "ششصد", "هفتصد", "هشتصد", "نهصد"};

struct PersianScale {
  std::uint64_t value;
  string_view name;
};

constexpr std::array kPersianScales = {PersianScale{1'000'000'000'000'000, "کوادریلیون"},
                                       PersianScale{1'000'000'000'000, "تریلیون"},
                                       PersianScale{1'000'000'000, "میلیارد"},
                                       PersianScale{1'000'000, "میلیون"},
                                       PersianScale{1'000, "هزار"}};

// How one to six decimal places are named.
constexpr std::array<string_view, 7> kPlaces = {
    "", "دهم", "صدم", "هزارم", "ده‌هزارم", "صدهزارم", "میلیونم"};

constexpr std::size_t kMaxPersianDigits = 9;  // digits; longer ones are an identifier, not a count

struct Ambiguous {
  string_view word;
  string_view marked;
};

// Without the mark they are "no", "tradition", "warm" and "inclined", or lose their vowel.
constexpr std::array kAmbiguous = {Ambiguous{"نه", "نُه"},
                                   Ambiguous{"سنت", "سِنت"},
                                   Ambiguous{"گرم", "گِرَم"},
                                   Ambiguous{"مایل", "مایْل"},
                                   Ambiguous{"سی‌ام", "سی‌اُم"},
                                   Ambiguous{"سی‌امین", "سی‌اُمین"}};

void join(std::string& words, string_view more) {
  words += words.empty() ? "" : " و ";
  words += more;
}

std::string below_thousand(std::uint64_t value) {
  std::string words;
  if (value >= 100) {
    join(words, kHundreds[value / 100]);
    value %= 100;
  }
  if (value >= 20) {
    join(words, kPersianTens[value / 10]);
    value %= 10;
  }
  if (value > 0) {
    join(words, kPersianSmall[value]);
  }
  return words;
}

}  // namespace

std::string persian_cardinal(std::uint64_t value) {
  if (value == 0) {
    return std::string(kPersianSmall[0]);
  }
  std::string words;
  for (const PersianScale& scale : kPersianScales) {
    const std::uint64_t count = value / scale.value;
    if (count == 0) {
      continue;
    }
    // One thousand is هزار, not یک هزار; one million keeps its یک.
    const bool bare = count == 1 && scale.value == 1'000;
    join(words, bare ? std::string{} : below_thousand(count) + ' ');
    words += scale.name;
    value %= scale.value;
  }
  if (value > 0) {
    join(words, below_thousand(value));
  }
  return words;
}

std::string persian_ordinal(std::uint64_t value) {
  if (value == 1) {
    return "اول";
  }
  std::string words = persian_cardinal(value);
  if (words.ends_with("سه")) {
    return words.substr(0, words.size() - string_view("ه").size()) + "وم";
  }
  return words + (words.ends_with("سی") ? "‌ام" : "م");
}

std::string persian_ordinal_before_noun(std::uint64_t value) {
  return persian_ordinal(value) + "ین";
}

std::string persian_digits(string_view digits) {
  std::string words;
  for (const char digit : digits) {
    words += words.empty() ? "" : " ";
    words += kPersianSmall[static_cast<std::size_t>(digit - '0')];
  }
  return words;
}

std::string persian_decimals(string_view digits) {
  const std::optional<std::uint64_t> value = to_value(digits);
  if (digits.size() >= kPlaces.size() || !value) {
    return persian_digits(digits);
  }
  if (*value == 0) {
    return std::string(kPersianSmall[0]);
  }
  return persian_cardinal(*value) + ' ' + std::string(kPlaces[digits.size()]);
}

std::string persian_fraction(std::uint64_t numerator, std::uint64_t denominator) {
  const std::string part = denominator == 1 ? "یکم" : persian_ordinal(denominator);
  return persian_cardinal(numerator) + ' ' + part;
}

std::string persian_digit_group(string_view digits) {
  std::string words;
  while (digits.size() > 1 && digits.front() == '0') {
    words += kPersianSmall[0];
    words += ' ';
    digits.remove_prefix(1);
  }
  const std::optional<std::uint64_t> value = to_value(digits);
  const bool short_enough = value && digits.size() <= 4;
  return words + (short_enough ? persian_cardinal(*value) : persian_digits(digits));
}

std::string persian_integer(const WrittenNumber& number) {
  const string_view digits = number.integer;
  if (digits.empty()) {
    return persian_cardinal(0);
  }
  const std::optional<std::uint64_t> value = to_value(digits);
  const bool leading_zero = digits.size() > 1 && digits.front() == '0';
  const bool identifier =
      !number.grouped && !digits.ends_with("000") && digits.size() > kMaxPersianDigits;
  return leading_zero || identifier || !value ? persian_digits(digits) : persian_cardinal(*value);
}

std::string persian_number(const WrittenNumber& number) {
  std::string words = persian_integer(number);
  if (!number.fraction.empty()) {
    words += " ممیز " + persian_decimals(number.fraction);
  }
  return words;
}

std::string with_number_vowels(string_view words) {
  std::string marked;
  while (!words.empty()) {
    const string_view token = words.substr(0, words.find(' '));
    const std::size_t length = token.size() - (token.ends_with("،") ? string_view("،").size() : 0);
    const auto* found = std::ranges::find(kAmbiguous, token.substr(0, length), &Ambiguous::word);
    marked += found == kAmbiguous.end() ? token.substr(0, length) : found->marked;
    const std::size_t end = std::min(token.size() + 1, words.size());
    marked += words.substr(length, end - length);
    words.remove_prefix(end);
  }
  return marked;
}

}  // namespace qanat
