#include "text/english_quantities.h"

#include <array>
#include <optional>
#include <string>

#include "text/english_dates.h"
#include "text/english_money.h"
#include "text/english_numbers.h"
#include "text/number_scan.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

bool could_be_year(const WrittenNumber& number) {
  if (number.grouped || !number.fraction.empty() || number.integer.size() != 4) {
    return false;
  }
  const std::uint64_t value = *to_value(number.integer);
  return value >= 1000 && value < 2100;
}

std::size_t read_english_sign(const Place& place, WordWriter& out) {
  const bool minus = place.rest.starts_with('-');
  if ((!minus && !place.rest.starts_with('+')) || !ends_at_boundary(place.before)) {
    return 0;
  }
  const string_view next = place.rest.substr(1);
  const bool decimal = next.starts_with('.') && starts_with_digit(next.substr(1));
  if (!starts_with_digit(next) && !decimal && leading_currency_sign(next).empty()) {
    return 0;
  }
  out.words(minus ? "minus" : "plus");
  out.symbol(" ");
  return 1;
}

std::size_t read_english_phone(const Place& place, WordWriter& out) {
  if (ends_in_letter(place.before) || ends_in_digit(place.before)) {
    return 0;
  }
  const std::optional<PhoneNumber> number = scan_phone_number(place.rest);
  if (!number) {
    return 0;
  }
  std::string words = number->international ? "plus " : "";
  for (std::size_t i = 0; i < number->groups.size(); ++i) {
    words += i == 0 ? "" : ", ";
    words += english_digits(number->groups[i]);
  }
  out.words(words);
  return number->length;
}

std::size_t read_english_ordinal(const Place& place, WordWriter& out) {
  const std::optional<WrittenNumber> number = scan_number(place.rest);
  if (!number || !number->fraction.empty() || !to_value(number->integer)) {
    return 0;
  }
  const string_view suffix = leading_letters(place.rest.substr(number->length));
  for (const string_view ending : {"st", "nd", "rd", "th"}) {
    if (equals_ignoring_case(suffix, ending)) {
      out.words(english_ordinal(*to_value(number->integer)));
      return number->length + suffix.size();
    }
  }
  return 0;
}

// "1980s", "80's"
std::size_t read_decade(const Place& place, WordWriter& out) {
  const string_view digits = leading_digits(place.rest);
  const string_view after = place.rest.substr(digits.size());
  const std::size_t suffix = after.starts_with("'s") ? 2 : after.starts_with('s') ? 1 : 0;
  const bool decade = (digits.size() == 2 || digits.size() == 4) && digits.ends_with('0');
  if (suffix == 0 || !decade || starts_with_letter(after.substr(suffix))) {
    return 0;
  }
  out.words(english_decade(*to_value(digits)));
  return digits.size() + suffix;
}

std::string mixed_fraction_words(const WrittenFraction& fraction) {
  const bool article =
      fraction.numerator == 1 && (fraction.denominator == 2 || fraction.denominator == 4);
  if (article) {
    return fraction.denominator == 2 ? "a half" : "a quarter";
  }
  return english_fraction(fraction.numerator, fraction.denominator);
}

std::string fraction_words(const WrittenFraction& fraction) {
  const auto is = [&](std::uint64_t numerator, std::uint64_t denominator) {
    return fraction.numerator == numerator && fraction.denominator == denominator;
  };
  const std::string numerator = english_cardinal(fraction.numerator);
  const std::string denominator = english_cardinal(fraction.denominator);
  if (is(24, 7) || is(9, 11)) {
    return numerator + ' ' + denominator;
  }
  const bool proper = fraction.numerator > 0 && fraction.numerator < fraction.denominator &&
                      fraction.denominator <= 100;
  return proper ? english_fraction(fraction.numerator, fraction.denominator)
                : numerator + " over " + denominator;
}

std::size_t read_fraction(const Place& place, WordWriter& out) {
  if (const std::optional<WrittenFraction> fraction = scan_fraction(place.rest)) {
    out.words(fraction_words(*fraction));
    return fraction->length;
  }
  const string_view whole = leading_digits(place.rest.substr(0, 4));
  if (whole.empty() || whole.size() > 3 || place.rest.substr(whole.size(), 1) != " ") {
    return 0;
  }
  const std::optional<WrittenFraction> fraction =
      scan_fraction(place.rest.substr(whole.size() + 1));
  if (!fraction || fraction->numerator == 0 || fraction->numerator >= fraction->denominator) {
    return 0;
  }
  out.words(english_cardinal(*to_value(whole)) + " and " + mixed_fraction_words(*fraction));
  return whole.size() + 1 + fraction->length;
}

// "%", "km", "€", "¢" behind a number: their words and length.
struct EnglishSuffix {
  std::string words;
  std::size_t length = 0;
};

EnglishSuffix find_english_suffix(string_view after, const WrittenNumber& number) {
  const std::size_t gap = after.starts_with(' ') ? 1 : 0;
  const string_view sign = after.substr(gap);
  if (sign.starts_with('%')) {
    return {.words = " percent", .length = gap + 1};
  }
  if (const Unit* unit = find_unit(sign)) {
    return {.words = ' ' + std::string(number.is_one() ? unit->singular : unit->plural),
            .length = gap + unit->sign.size()};
  }
  if (const CurrencySuffix currency = find_english_currency(sign, number); currency.length > 0) {
    return {.words = ' ' + currency.word, .length = gap + currency.length};
  }
  return {};
}

std::size_t read_english_number(const Place& place, WordWriter& out) {
  const std::optional<WrittenNumber> number = scan_number(place.rest);
  if (!number) {
    return 0;
  }
  const EnglishSuffix suffix = find_english_suffix(place.rest.substr(number->length), *number);
  if (suffix.length > 0) {
    out.words(english_number(*number) + suffix.words);
    return number->length + suffix.length;
  }
  if (const std::string day = english_day(place, *number); !day.empty()) {
    out.words(day);
  } else {
    out.words(could_be_year(*number) ? english_year(*to_value(number->integer))
                                     : english_number(*number));
  }
  return number->length;
}

}  // namespace

std::size_t read_english_quantity(const Place& place, WordWriter& out) {
  constexpr std::array kReaders = {read_english_phone,
                                   read_english_sign,
                                   read_english_money,
                                   read_english_date,
                                   read_english_clock_time,
                                   read_english_ordinal,
                                   read_decade,
                                   read_fraction,
                                   read_english_number};
  for (const auto reader : kReaders) {
    if (const std::size_t length = reader(place, out); length > 0) {
      return length;
    }
  }
  return 0;
}

}  // namespace qanat
