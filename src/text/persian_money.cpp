#include "text/persian_money.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "text/number_scan.h"
#include "text/persian_amounts.h"
#include "text/persian_numbers.h"
#include "text/persian_units.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::array<string_view, 4> kPersianMagnitudes = {
    " هزار", " میلیون", " میلیارد", " تریلیون"};

struct PersianCurrency {
  string_view sign;
  string_view name;
  string_view cents;
};

constexpr std::array kPersianCurrencies = {PersianCurrency{"$", "دلار", "سنت"},
                                           PersianCurrency{"£", "پوند", "پنی"},
                                           PersianCurrency{"€", "یورو", "سنت"},
                                           PersianCurrency{"¥", "ین", "سن"},
                                           PersianCurrency{"₹", "روپیه", "پایسا"}};

const PersianCurrency* find_persian_sign(string_view text) {
  const string_view sign = leading_currency_sign(text);
  const auto* found = std::ranges::find(kPersianCurrencies, sign, &PersianCurrency::sign);
  return found == kPersianCurrencies.end() ? nullptr : found;
}

std::string persian_money_words(const WrittenNumber& number, const PersianCurrency& currency) {
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
  const PersianCurrency* currency = find_persian_sign(place.rest);
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
                std::string(currency->name));
      return length + magnitude.size();
    }
  }
  if (const string_view magnitude = magnitude_sign(place.rest.substr(length)); !magnitude.empty()) {
    out.words(persian_number(*number) + ' ' + std::string(magnitude) + ' ' +
              std::string(currency->name));
    return length + 1;
  }
  out.words(persian_money_words(*number, *currency));
  return length;
}

PersianCurrencySuffix find_persian_currency(string_view sign) {
  const PersianCurrency* currency = find_persian_sign(sign);
  if (currency == nullptr || starts_with_digit(sign.substr(currency->sign.size()))) {
    return {};
  }
  return {.word = currency->name, .length = currency->sign.size()};
}

}  // namespace qanat
