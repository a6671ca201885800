#include "text/persian_quantities.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/number_scan.h"
#include "text/persian_dates.h"
#include "text/persian_letters.h"
#include "text/persian_money.h"
#include "text/persian_numbers.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

// Behind these a slash in the number was a decimal mark.
constexpr std::array<string_view, 13> kMeasured = {"هزار",
                                                   "میلیون",
                                                   "میلیارد",
                                                   "تریلیون",
                                                   "درصد",
                                                   "%",
                                                   "برابر",
                                                   "کیلو",
                                                   "متر",
                                                   "لیتر",
                                                   "گرم",
                                                   "سانتی",
                                                   "میلی"};

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
  const std::optional<WrittenNumber> number = scan_number(place.rest.substr(gap));
  if (!number) {
    return 0;
  }
  out.words(persian_number(*number) + " درصد");
  return gap + number->length;
}

// Where the digits of one written group are parted when they are spoken.
std::vector<std::size_t> spoken_sizes(string_view digits) {
  switch (digits.size()) {
    case 11:
      return digits.starts_with("09") ? std::vector<std::size_t>{4, 3, 2, 2}
                                      : std::vector<std::size_t>{3, 2, 2, 2, 2};
    case 10:
      return {3, 3, 2, 2};
    case 8:
      return {2, 2, 2, 2};
    case 7:
      return {3, 2, 2};
    case 4:
      return digits.front() == '0' ? std::vector<std::size_t>{4} : std::vector<std::size_t>{2, 2};
    default:
      return {digits.size()};
  }
}

std::size_t read_persian_phone(const Place& place, WordWriter& out) {
  const std::optional<PhoneNumber> number = scan_phone_number(place.rest);
  if (!number || ends_in_digit(place.before)) {
    return 0;
  }
  std::string words = number->international ? "مثبت " : "";
  string_view separator;
  for (const std::string& group : number->groups) {
    std::size_t begin = 0;
    for (const std::size_t size : spoken_sizes(group)) {
      words += separator;
      words += persian_digit_group(string_view(group).substr(begin, size));
      begin += size;
      separator = "، ";
    }
  }
  out.words(words);
  return number->length;
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
  const string_view next = skip_spaces(after.substr(0, 16));
  const auto follows = [&](string_view word) { return next.starts_with(word); };
  if (std::ranges::any_of(kMeasured, follows)) {
    return false;
  }
  const bool one_over = fraction.numerator == 1 && fraction.denominator > 1;
  const bool two_thirds = fraction.numerator == 2 && fraction.denominator == 3;
  const bool three_quarters = fraction.numerator == 3 && fraction.denominator == 4;
  return one_over || two_thirds || three_quarters;
}

std::size_t read_slash(const Place& place, WordWriter& out) {
  const std::optional<WrittenFraction> fraction = scan_fraction(place.rest);
  if (!fraction || ends_in_digit(place.before)) {
    return 0;
  }
  const string_view after = place.rest.substr(fraction->length);
  if (fraction->numerator == 24 && fraction->denominator == 7) {
    out.words(persian_cardinal(24) + ' ' + persian_cardinal(7));
    return fraction->length;
  }
  if (is_written_fraction(*fraction, after)) {
    out.words(persian_fraction(fraction->numerator, fraction->denominator));
    return fraction->length;
  }
  WrittenNumber number;
  number.integer = leading_digits(place.rest);
  number.fraction = leading_digits(place.rest.substr(number.integer.size() + 1));
  const bool percent = after.starts_with('%');
  out.words(persian_number(number) + (percent ? " درصد" : ""));
  return fraction->length + (percent ? 1 : 0);
}

// ۲ ۱/۲ دو و یک دوم
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
  out.words(persian_cardinal(*to_value(whole)) + " و " +
            persian_fraction(fraction->numerator, fraction->denominator));
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
  if (const Unit* unit = find_unit(sign)) {
    return {.words = ' ' + std::string(unit->persian), .length = gap + unit->sign.size()};
  }
  if (const PersianCurrencySuffix currency = find_persian_currency(sign); currency.length > 0) {
    return {.words = ' ' + std::string(currency.word), .length = gap + currency.length};
  }
  // The joint of ۲۰‌ساله; words() puts a space in its place.
  return {.words = {}, .length = after.starts_with(kZwnjBytes) ? kZwnjBytes.size() : 0};
}

std::size_t read_persian_number(const Place& place, WordWriter& out) {
  const std::optional<WrittenNumber> number = scan_number(place.rest);
  if (!number) {
    return 0;
  }
  const PersianSuffix suffix = find_persian_suffix(place.rest.substr(number->length));
  out.words(persian_number(*number) + suffix.words);
  return number->length + suffix.length;
}

}  // namespace

std::size_t read_persian_quantity(const Place& place, WordWriter& out) {
  constexpr std::array kReaders = {read_persian_phone,
                                   read_persian_sign,
                                   read_persian_money,
                                   read_percent_in_front,
                                   read_persian_date,
                                   read_persian_clock_time,
                                   read_persian_ordinal,
                                   read_slash,
                                   read_mixed_fraction,
                                   read_persian_number};
  for (const auto reader : kReaders) {
    if (const std::size_t length = reader(place, out); length > 0) {
      return length;
    }
  }
  return 0;
}

}  // namespace qanat
