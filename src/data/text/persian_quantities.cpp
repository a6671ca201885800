#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "text/number_scan.h"
#include "text/persian_numbers.h"
#include "text/persian_readers.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::size_t kMaxGroups = 6;
constexpr std::size_t kMaxSlashDecimals = 4;

bool three_digits_at(string_view text, std::size_t at) {
  return leading_digits(text.substr(std::min(at, text.size()), 4)).size() == 3;
}

// ۱/۲۵۰/۰۰۰: groups of three behind one kind of separator.
std::optional<WrittenNumber> scan_groups(string_view text) {
  WrittenNumber number;
  number.integer = leading_digits(text.substr(0, 4));
  number.length = number.integer.size();
  if (number.length == 0 || number.length > 3 || number.length >= text.size() ||
      number.integer.front() == '0') {
    return std::nullopt;
  }
  const char separator = text[number.length];
  if (separator != '/' && separator != '.') {
    return std::nullopt;
  }
  std::size_t groups = 0;
  while (groups < kMaxGroups && number.length < text.size() && text[number.length] == separator &&
         three_digits_at(text, number.length + 1)) {
    number.integer += text.substr(number.length + 1, 3);
    number.length += 4;
    ++groups;
  }
  const string_view after = text.substr(number.length);
  const bool goes_on =
      !after.empty() && after[0] == separator && starts_with_digit(after.substr(1));
  const bool one_counts = number.integer.ends_with("000") || currency_follows(after);
  if (groups == 0 || goes_on || (groups == 1 && !one_counts)) {
    return std::nullopt;
  }
  number.grouped = true;
  return number;
}

// The number at the start of `text`, folded, with the separators Persian writers use: ۱/۲۵۰/۰۰۰ and
// ۱.۲۵۰.۰۰۰ are groups of thousands, ۲۲/۵ is a decimal. One group behind a slash or point (۲۵۰/۰۰۰)
// counts as thousands before a currency, or when it is 000.
std::optional<WrittenNumber> scan_persian_amount(string_view text) {
  if (std::optional<WrittenNumber> groups = scan_groups(text)) {
    return groups;
  }
  std::optional<WrittenNumber> number = scan_number(text);
  if (!number || !number->fraction.empty() || !text.substr(number->length).starts_with('/')) {
    return number;
  }
  const string_view decimals =
      leading_digits(text.substr(number->length + 1, kMaxSlashDecimals + 1));
  const string_view after = text.substr(number->length + 1 + decimals.size());
  const bool goes_on = after.starts_with('/') && starts_with_digit(after.substr(1));
  if (decimals.empty() || decimals.size() > kMaxSlashDecimals || goes_on) {
    return number;
  }
  number->fraction = decimals;
  number->length += 1 + decimals.size();
  return number;
}

}  // namespace

bool is_grouped_amount(string_view text) {
  const std::optional<WrittenNumber> number = scan_persian_amount(text);
  return number && number->grouped;
}

namespace {

// Amounts of foreign money in Persian text: $۵۰, $۲ میلیون.

constexpr std::array<string_view, 4> kPersianMagnitudes = {
    " هزار", " میلیون", " میلیارد", " تریلیون"};

std::string persian_money_words(const WrittenNumber& number, const SpokenCurrency& currency) {
  const std::string name(currency.persian);
  if (number.fraction.size() != 2) {
    return persian_number(number) + ' ' + name;
  }
  const std::uint64_t cents = *to_value(number.fraction);
  const std::string cent_words =
      persian_cardinal(cents) + ' ' + std::string(currency.persian_cents);
  if (cents == 0) {
    return persian_integer(number) + ' ' + name;
  }
  return number.integer == "0" ? cent_words
                               : persian_integer(number) + ' ' + name + " و " + cent_words;
}

// Reads an amount whose sign stands in front. The bytes it took, or 0.
std::size_t read_persian_money(const Place& place, WordWriter& out) {
  const SpokenCurrency* currency = find_currency(place.rest, Language::fa);
  if (currency == nullptr) {
    return 0;
  }
  std::size_t length = currency->sign.size();
  length += place.rest.substr(length).starts_with(' ') ? 1 : 0;
  const std::optional<WrittenNumber> number = scan_persian_amount(place.rest.substr(length));
  if (!number) {
    return 0;
  }
  length += number->length;
  for (const string_view magnitude : kPersianMagnitudes) {
    if (place.rest.substr(length).starts_with(magnitude)) {
      out.words(persian_number(*number) + std::string(magnitude) + ' ' +
                std::string(currency->persian));
      return length + magnitude.size();
    }
  }
  if (const string_view magnitude = magnitude_sign(place.rest.substr(length)); !magnitude.empty()) {
    out.words(persian_number(*number) + ' ' + std::string(magnitude) + ' ' +
              std::string(currency->persian));
    return length + 1;
  }
  out.words(persian_money_words(*number, *currency));
  return length;
}

// What is said to be below zero.
constexpr std::array<string_view, 4> kSignedUnits = {"درجه", "درصد", "%", "سانتی‌گراد"};

std::size_t read_persian_sign(const Place& place, WordWriter& out) {
  const bool minus = place.rest.starts_with('-');
  const bool boundary = ends_at_boundary(place.before) || place.before.ends_with("«");
  const string_view next = place.rest.substr(1);
  if ((!minus && !place.rest.starts_with('+')) || !boundary ||
      (!starts_with_digit(next) && leading_currency_sign(next).empty())) {
    return 0;
  }
  out.words(minus ? "منفی" : "مثبت");
  out.symbol(" ");
  return 1;
}

// "٪۲۵" is typed as often as "۲۵٪".
std::size_t read_percent_in_front(const Place& place, WordWriter& out) {
  if (!place.rest.starts_with('%') || ends_in_digit(place.before)) {
    return 0;
  }
  const std::size_t gap = place.rest.substr(1).starts_with(' ') ? 2 : 1;
  const std::optional<WrittenNumber> number = scan_persian_amount(place.rest.substr(gap));
  if (!number) {
    return 0;
  }
  out.words(persian_number(*number) + " درصد");
  return gap + number->length;
}

// ۵- درجه is typed from right to left; ۱۸+ is "of eighteen and more".
std::size_t read_trailing_sign(const Place& place, WordWriter& out) {
  if (!starts_with_digit(place.rest) || !ends_at_boundary(place.before)) {
    return 0;
  }
  const std::optional<WrittenNumber> number = scan_persian_amount(place.rest);
  const string_view after = number ? place.rest.substr(number->length) : string_view{};
  if (after.empty() || starts_with_digit(skip_spaces(after.substr(1, 8)))) {
    return 0;
  }
  const string_view behind = after.substr(1);
  if (after[0] == '-' && (persian_word_follows(behind, kSignedUnits) || behind.starts_with("°"))) {
    out.words("منفی " + persian_number(*number));
    return number->length + 1;
  }
  if (after[0] != '+' || starts_with_letter(behind) || !number->fraction.empty()) {
    return 0;
  }
  const bool age = number->integer.size() <= 2;
  out.words((age ? "مثبت " : "بیش از ") + persian_number(*number));
  return number->length + 1;
}

// ۲۱م, ۲۱‌ام, ۲۱ ام, ۲۱مین
std::size_t read_persian_ordinal(const Place& place, WordWriter& out) {
  const std::optional<WrittenNumber> number = scan_number(place.rest);
  if (!number || !number->fraction.empty() || !to_value(number->integer)) {
    return 0;
  }
  const string_view after = place.rest.substr(number->length);
  const bool spaced = after.starts_with(' ');
  const std::size_t gap = spaced ? 1 : after.starts_with(kZwnjBytes) ? kZwnjBytes.size() : 0;
  for (const string_view ending : {"اُمین", "امین", "مین", "اُم", "ام", "ُم", "م"}) {
    const bool begins_with_alef = ending.starts_with("ا");
    if (!after.substr(gap).starts_with(ending) || (spaced && !begins_with_alef) ||
        starts_with_persian_letter(after.substr(gap + ending.size()))) {
      continue;
    }
    const std::uint64_t value = *to_value(number->integer);
    out.words(ending.ends_with("ین") ? persian_ordinal_before_noun(value) : persian_ordinal(value));
    return number->length + gap + ending.size();
  }
  return 0;
}

bool is_written_fraction(const WrittenFraction& fraction, string_view after) {
  const bool one_over = fraction.numerator == 1 && fraction.denominator > 1;
  const bool two_thirds = fraction.numerator == 2 && fraction.denominator == 3;
  const bool three_quarters = fraction.numerator == 3 && fraction.denominator == 4;
  const bool short_time = time_unit_follows(after) && fraction.denominator <= 4;
  return (one_over || two_thirds || three_quarters) && (short_time || !measure_follows(after));
}

// ۸/۱۰ هشت از ده: nobody writes the last zero of a decimal.
bool is_out_of(const WrittenFraction& fraction, string_view after) {
  const bool scale =
      fraction.denominator == 10 || fraction.denominator == 20 || fraction.denominator == 100;
  return scale && fraction.numerator <= fraction.denominator && !measure_follows(after);
}

std::size_t read_slash(const Place& place, WordWriter& out) {
  const std::optional<WrittenFraction> fraction = scan_fraction(place.rest);
  if (!fraction || ends_in_digit(place.before)) {
    return 0;
  }
  const string_view after = place.rest.substr(fraction->length);
  if (fraction->numerator == 24 && fraction->denominator == 7) {
    out.words(persian_cardinal(24) + ' ' + persian_cardinal(7));
  } else if (is_written_fraction(*fraction, after)) {
    out.words(persian_fraction(fraction->numerator, fraction->denominator));
  } else if (is_out_of(*fraction, after)) {
    out.words(persian_cardinal(fraction->numerator) + " از " +
              persian_cardinal(fraction->denominator));
  } else {
    return 0;  // a decimal
  }
  return fraction->length;
}

// ۲ ۱/۲ دو و نیم
std::size_t read_mixed_fraction(const Place& place, WordWriter& out) {
  const string_view whole = leading_digits(place.rest.substr(0, 4));
  if (whole.empty() || whole.size() > 3 || place.rest.substr(whole.size(), 1) != " ") {
    return 0;
  }
  const string_view behind = place.rest.substr(whole.size() + 1);
  const std::optional<WrittenFraction> fraction = scan_fraction(behind);
  if (!fraction || !is_written_fraction(*fraction, behind.substr(fraction->length))) {
    return 0;
  }
  const bool half = fraction->numerator == 1 && fraction->denominator == 2;
  out.words(persian_cardinal(*to_value(whole)) + " و " +
            (half ? "نیم" : persian_fraction(fraction->numerator, fraction->denominator)));
  return whole.size() + 1 + fraction->length;
}

// "%", "km", "$" behind a number: their words and length.
struct PersianSuffix {
  std::string words;
  std::size_t length = 0;
};

PersianSuffix find_persian_suffix(string_view after) {
  const std::size_t gap = after.starts_with(' ') ? 1 : 0;
  const string_view sign = after.substr(gap);
  if (sign.starts_with('%') && !starts_with_digit(sign.substr(1))) {
    return {.words = " درصد", .length = gap + 1};
  }
  if (const std::optional<PersianUnit> unit = find_persian_unit(sign)) {
    return {.words = ' ' + std::string(unit->words), .length = gap + unit->sign.size()};
  }
  const SpokenCurrency* currency = find_currency(sign, Language::fa);
  if (currency != nullptr && !starts_with_digit(sign.substr(currency->sign.size()))) {
    return {.words = ' ' + std::string(currency->persian), .length = gap + currency->sign.size()};
  }
  // The joint of ۲۰‌ساله; words() puts a space in its place.
  return {.words = {}, .length = after.starts_with(kZwnjBytes) ? kZwnjBytes.size() : 0};
}

// One and a half of anything, and any number of hours and a half.
bool says_half(const WrittenNumber& number, string_view after) {
  const bool percent = skip_spaces(after.substr(0, 8)).starts_with('%');
  return number.fraction == "5" && !number.integer.empty() && !percent &&
         (time_unit_follows(after) || (number.integer == "1" && measure_follows(after)));
}

std::size_t read_persian_number(const Place& place, WordWriter& out) {
  std::optional<WrittenNumber> number = scan_persian_amount(place.rest);
  if (!number) {
    return 0;
  }
  const string_view after = place.rest.substr(number->length);
  const PersianSuffix suffix = find_persian_suffix(after);
  const bool counts = number->integer.size() > 9 && measure_follows(after);
  number->grouped = number->grouped || counts;
  const std::string words =
      says_half(*number, after) ? persian_integer(*number) + " و نیم" : persian_number(*number);
  out.words(words + suffix.words);
  return number->length + suffix.length;
}

}  // namespace

std::size_t read_persian_quantity(const Place& place, WordWriter& out) {
  constexpr std::array kReaders = {read_persian_phone,
                                   read_persian_card,
                                   read_persian_sign,
                                   read_persian_money,
                                   read_percent_in_front,
                                   read_named_version,
                                   read_persian_date,
                                   read_persian_clock_time,
                                   read_slashed_time,
                                   read_year_of_calendar,
                                   read_persian_ordinal,
                                   read_partial_date,
                                   read_version,
                                   read_trailing_sign,
                                   read_slash,
                                   read_mixed_fraction,
                                   read_persian_number};
  return read_first(kReaders, place, out);
}

}  // namespace qanat
