#include "text/persian_money.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "text/number_scan.h"
#include "text/persian_numbers.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::array<string_view, 4> kMagnitudes = {" هزار", " میلیون", " میلیارد", " تریلیون"};

struct Currency {
  string_view sign;
  string_view name;
  string_view cents;
};

constexpr std::array kCurrencies = {Currency{"$", "دلار", "سنت"},
                                    Currency{"£", "پوند", "پنی"},
                                    Currency{"€", "یورو", "سنت"},
                                    Currency{"¥", "ین", "سن"},
                                    Currency{"₹", "روپیه", "پایسا"}};

const Currency* find_currency(string_view text) {
  const string_view sign = leading_currency_sign(text);
  const auto* found = std::ranges::find(kCurrencies, sign, &Currency::sign);
  return found == kCurrencies.end() ? nullptr : found;
}

std::string money_words(const WrittenNumber& number, const Currency& currency) {
  const std::string name(currency.name);
  if (number.fraction.size() != 2) {
    return persian_number(number) + ' ' + name;
  }
  const std::uint64_t cents = *to_value(number.fraction);
  const std::string cent_words = persian_cardinal(cents) + ' ' + std::string(currency.cents);
  if (cents == 0) {
    return persian_integer(number) + ' ' + name;
  }
  return number.integer == "0" ? cent_words
                               : persian_integer(number) + ' ' + name + " و " + cent_words;
}

}  // namespace

std::size_t read_persian_money(const Place& place, WordWriter& out) {
  const Currency* currency = find_currency(place.rest);
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
  for (const string_view magnitude : kMagnitudes) {
    if (place.rest.substr(length).starts_with(magnitude)) {
      out.words(persian_number(*number) + std::string(magnitude) + ' ' +
                std::string(currency->name));
      return length + magnitude.size();
    }
  }
  out.words(money_words(*number, *currency));
  return length;
}

PersianCurrencySuffix find_persian_currency(string_view sign) {
  const Currency* currency = find_currency(sign);
  if (currency == nullptr || starts_with_digit(sign.substr(currency->sign.size()))) {
    return {};
  }
  return {.word = currency->name, .length = currency->sign.size()};
}

}  // namespace qanat
