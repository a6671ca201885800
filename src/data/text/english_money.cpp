#include <algorithm>
#include <array>
#include <optional>

#include "text/english_numbers.h"
#include "text/english_readers.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

struct Magnitude {
  string_view written;
  string_view word;
};

constexpr std::array kEnglishMagnitudes = {
#include "text/english_magnitudes_rows.inc"
};

const Magnitude* find_magnitude(string_view text) {
  for (const Magnitude& magnitude : kEnglishMagnitudes) {
    if (text.starts_with(magnitude.written) &&
        !starts_with_letter(text.substr(magnitude.written.size()))) {
      return &magnitude;
    }
  }
  return nullptr;
}

// "dollars and fifty cents"; "fifty cents"
std::string english_money_words(const WrittenNumber& number, const SpokenCurrency& currency) {
  const bool has_cents = number.fraction.size() == 2;
  if (!has_cents) {
    return english_number(number) + ' ' +
           std::string(number.is_one() ? currency.one : currency.many);
  }
  const std::uint64_t cents = *to_value(number.fraction);
  std::string words;
  if (cents == 0 || (number.integer != "0" && !number.integer.empty())) {
    words = english_integer(number) + ' ';
    words += number.integer == "1" ? currency.one : currency.many;
  }
  if (cents != 0) {
    words += words.empty() ? "" : " and ";
    words += english_cardinal(cents) + ' ';
    words += cents == 1 ? currency.cent : currency.cents;
  }
  return words;
}

// "$5-10 million": the second number of a range that shares its sign with the first.
std::size_t read_money_range(string_view rest, std::string& words) {
  const std::size_t dash = leading_dash(rest);
  if (dash == 0 || !starts_with_digit(rest.substr(dash))) {
    return 0;
  }
  const std::optional<WrittenNumber> second = scan_number(rest.substr(dash));
  words += " to " + english_number(*second);
  return dash + second->length;
}

}  // namespace

std::size_t read_english_money(const Place& place, WordWriter& out) {
  const SpokenCurrency* currency = find_currency(place.rest, Language::en);
  if (currency == nullptr) {
    return 0;
  }
  std::size_t length = currency->sign.size();
  length += place.rest.substr(length).starts_with(' ') ? 1 : 0;
  const std::optional<WrittenNumber> number = scan_number(place.rest.substr(length));
  if (!number) {
    return 0;
  }
  length += number->length;
  std::string words = english_number(*number);
  const std::size_t range = read_money_range(place.rest.substr(length), words);
  length += range;
  const Magnitude* magnitude = find_magnitude(place.rest.substr(length));
  if (magnitude == nullptr && range == 0) {
    out.words(english_money_words(*number, *currency));
    return length;
  }
  if (magnitude != nullptr) {
    words += ' ' + std::string(magnitude->word);
    length += magnitude->written.size();
  }
  out.words(words + ' ' + std::string(currency->many));
  return length;
}

EnglishSuffix find_english_currency(string_view sign, const WrittenNumber& number) {
  constexpr string_view kCent = "¢";
  if (sign.starts_with(kCent)) {
    return {.words = number.is_one() ? "cent" : "cents", .length = kCent.size()};
  }
  const SpokenCurrency* currency = find_currency(sign, Language::en);
  if (currency == nullptr) {
    return {};
  }
  const string_view after = sign.substr(currency->sign.size());
  if (starts_with_digit(after) || starts_with_letter(after)) {
    return {};
  }
  return {.words = std::string(number.is_one() ? currency->one : currency->many),
          .length = currency->sign.size()};
}

}  // namespace qanat
