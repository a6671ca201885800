#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "text/characters.h"
#include "text/english_numbers.h"
#include "text/english_readers.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

// What is counted, never dated.
constexpr std::array kCountedThings = {
#include "text/english_counted_things_rows.inc"
};

// "1500 people" is fifteen hundred all the same.
bool counts_things(const WrittenNumber& number, string_view after) {
  const string_view thing = after.starts_with(' ') ? leading_letters(after.substr(1, 16)) : "";
  return !number.integer.ends_with("00") &&
         std::ranges::find(kCountedThings, thing) != kCountedThings.end();
}

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

// "1980s", "80's", "B-52s"
std::size_t read_decade(const Place& place, WordWriter& out) {
  const string_view digits = leading_digits(place.rest);
  const string_view after = place.rest.substr(digits.size());
  const std::size_t suffix = after.starts_with("'s") ? 2 : after.starts_with('s') ? 1 : 0;
  const bool decade = (digits.size() == 2 || digits.size() == 4) && digits.ends_with('0');
  const bool several =
      suffix == 1 && (digits.size() == 3 || (digits.size() == 2 && place.before.ends_with('-')));
  if (suffix == 0 || (!decade && !several) || starts_with_letter(after.substr(suffix))) {
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
  if (fraction.numerator == fraction.denominator) {
    const bool halves = is(50, 50) || is(20, 20);
    return numerator + (halves ? " " : " out of ") + denominator;
  }
  const bool season = fraction.numerator >= 1900 && fraction.numerator < 2100 &&
                      (fraction.numerator + 1) % 100 == fraction.denominator;
  if (season) {
    return english_year(fraction.numerator) + ' ' + denominator;
  }
  const bool proper = fraction.numerator > 0 && fraction.numerator < fraction.denominator &&
                      fraction.denominator <= 100;
  return proper ? english_fraction(fraction.numerator, fraction.denominator)
                : numerator + " over " + denominator;
}

// "4.5/5"
std::size_t read_rating(const Place& place, WordWriter& out) {
  const std::optional<WrittenNumber> number = scan_number(place.rest);
  if (!number || number->fraction.empty() || number->fraction.size() > 2) {
    return 0;
  }
  const string_view after = place.rest.substr(number->length);
  const string_view most = after.starts_with('/') ? leading_digits(after.substr(1, 4)) : "";
  const bool goes_on = after.substr(std::min(1 + most.size(), after.size())).starts_with('/');
  if (most.empty() || most.size() > 3 || goes_on) {
    return 0;
  }
  out.words(english_number(*number) + " out of " + english_cardinal(*to_value(most)));
  return number->length + 1 + most.size();
}

// "1/3rd", "2/3rds": the letters of the ending.
std::size_t ordinal_ending(string_view after) {
  const string_view letters = leading_letters(after);
  for (const string_view ending : {"rd", "rds", "th", "ths", "nd", "nds"}) {
    if (letters == ending) {
      return letters.size();
    }
  }
  return 0;
}

std::size_t read_fraction(const Place& place, WordWriter& out) {
  if (const std::optional<WrittenFraction> fraction = scan_fraction(place.rest)) {
    out.words(fraction_words(*fraction));
    return fraction->length + ordinal_ending(place.rest.substr(fraction->length));
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

// "m squared" is a square meter; the fold wrote the exponent out.
EnglishSuffix find_power(string_view text, const WrittenNumber& number) {
  for (const string_view sign : {"km", "cm", "mm", "mi", "ft", "m"}) {
    const string_view after = text.substr(std::min(sign.size(), text.size()));
    const bool square = after.starts_with(" squared");
    if (!text.starts_with(sign) || (!square && !after.starts_with(" cubed"))) {
      continue;
    }
    const std::size_t exponent = string_view(square ? " squared" : " cubed").size();
    const SpokenUnit* unit = find_unit(sign, Language::en);
    if (unit == nullptr || !ends_unit_sign(after.substr(exponent))) {
      return {};
    }
    return {.words = (square ? "square " : "cubic ") +
                     std::string(number.is_one() ? unit->singular : unit->plural),
            .length = sign.size() + exponent};
  }
  return {};
}

// The unit `text` starts with, in the form that `number` asks for.
EnglishSuffix find_english_unit(string_view text, const WrittenNumber& number) {
  if (EnglishSuffix power = find_power(text, number); power.length > 0) {
    return power;
  }
  if (const SpokenUnit* unit = find_unit(text, Language::en)) {
    return {.words = std::string(number.is_one() ? unit->singular : unit->plural),
            .length = unit->sign.size()};
  }
  return {};
}

// "5M views", "1.2B", "3x": letters glued to the number. "3M" is a company, "4B" a flat.
EnglishSuffix find_glued_letter(string_view after, const WrittenNumber& number) {
  if (after.empty() || starts_with_letter(after.substr(1)) || starts_with_digit(after.substr(1))) {
    return {};
  }
  const string_view next = after.substr(1);
  const bool counts = next.size() >= 2 && next[0] == ' ' && is_ascii_lower(next[1]);
  const bool decimal = !number.fraction.empty();
  switch (after[0]) {
    case 's':
      return decimal ? EnglishSuffix{" seconds", 1} : EnglishSuffix{};
    case 'x':
      return {.words = " times", .length = 1};
    case 'M':
      return decimal || (counts && number.integer != "3") ? EnglishSuffix{" million", 1}
                                                          : EnglishSuffix{};
    case 'B':
      return decimal ? EnglishSuffix{" billion", 1} : EnglishSuffix{};
    default:
      return {};
  }
}

// "2h 15m": minutes, not meters. "5 ft 9 in": inches.
EnglishSuffix find_second_unit(const Place& place, string_view after) {
  string_view before = place.before;
  before.remove_suffix(before.ends_with(' ') ? 1 : 0);
  if (before.ends_with(" ft") && after.starts_with(" in") && !starts_with_letter(after.substr(3))) {
    return {.words = " inches", .length = 3};
  }
  const bool hours = before.ends_with('h') && ends_in_digit(before.substr(0, before.size() - 1));
  const bool minutes = hours && after.starts_with('m') && !starts_with_letter(after.substr(1));
  return minutes ? EnglishSuffix{" minutes", 1} : EnglishSuffix{};
}

EnglishSuffix find_english_suffix(string_view after, const WrittenNumber& number) {
  if (EnglishSuffix glued = find_glued_letter(after, number); glued.length > 0) {
    return glued;
  }
  const std::size_t gap = after.starts_with(' ') ? 1 : 0;
  const string_view sign = after.substr(gap);
  if (sign.starts_with('%')) {
    return {.words = " percent", .length = gap + 1};
  }
  if (const EnglishSuffix unit = find_english_unit(sign, number); unit.length > 0) {
    const string_view behind = sign.substr(unit.length);  // "2 tsp. sugar": no end of a sentence
    const bool stop = behind.starts_with(". ") && behind.size() > 2 && is_ascii_lower(behind[2]);
    return {.words = ' ' + unit.words, .length = gap + unit.length + (stop ? 1 : 0)};
  }
  if (const EnglishSuffix currency = find_english_currency(sign, number); currency.length > 0) {
    return {.words = ' ' + currency.words, .length = gap + currency.length};
  }
  return {};
}

std::size_t read_english_number(const Place& place, WordWriter& out) {
  const std::optional<WrittenNumber> number = scan_number(place.rest);
  if (!number) {
    return 0;
  }
  const string_view after = place.rest.substr(number->length);
  const EnglishSuffix second = find_second_unit(place, after);
  const EnglishSuffix suffix = second.length > 0 ? second : find_english_suffix(after, *number);
  if (suffix.length > 0) {
    out.words(english_number(*number) + suffix.words);
    return number->length + suffix.length;
  }
  if (const std::string day = english_day(place, *number); !day.empty()) {
    out.words(day);
  } else if (place.before.ends_with('\'') && number->length == 2 && place.rest.starts_with('0')) {
    out.words("oh " + english_digits(place.rest.substr(1, 1)));
  } else {
    const bool year = could_be_year(*number) && !counts_things(*number, after);
    out.words(year ? english_year(*to_value(number->integer)) : english_number(*number));
  }
  return number->length;
}

}  // namespace

std::size_t read_english_quantity(const Place& place, WordWriter& out) {
  constexpr std::array kReaders = {read_english_phone,
                                   read_english_sign,
                                   read_english_money,
                                   read_english_date,
                                   read_english_digit_groups,
                                   read_english_version,
                                   read_english_designation,
                                   read_english_height,
                                   read_english_clock_time,
                                   read_english_ordinal,
                                   read_decade,
                                   read_english_short_date,
                                   read_rating,
                                   read_fraction,
                                   read_english_number};
  return read_first(kReaders, place, out);
}

}  // namespace qanat
