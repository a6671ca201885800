#include "text/english_numbers.h"

#include <array>

namespace qanat {
namespace {

using std::string_view;

constexpr std::array kEnglishSmall = {
#include "text/english_small_rows.inc"
};

constexpr std::array<string_view, 10> kEnglishTens = {
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};

struct EnglishScale {
  std::uint64_t value;
  string_view name;
};

constexpr std::array kEnglishScales = {EnglishScale{1'000'000'000'000'000, "quadrillion"},
                                       EnglishScale{1'000'000'000'000, "trillion"},
                                       EnglishScale{1'000'000'000, "billion"},
                                       EnglishScale{1'000'000, "million"},
                                       EnglishScale{1'000, "thousand"},
                                       EnglishScale{100, "hundred"}};

struct Irregular {
  string_view cardinal;
  string_view ordinal;
};

constexpr std::array kIrregular = {
#include "text/english_ordinals_rows.inc"
};

std::string below_hundred(std::uint64_t value) {
  if (value < 20) {
    return std::string(kEnglishSmall[value]);
  }
  std::string words(kEnglishTens[value / 10]);
  if (value % 10 != 0) {
    words += '-';
    words += kEnglishSmall[value % 10];
  }
  return words;
}

// "forty" + "ies", "six" + "es", "ten" + "s"
std::string plural(std::string words) {
  if (words.ends_with('y')) {
    words.back() = 'i';
    return words + "es";
  }
  return words + (words.ends_with('x') ? "es" : "s");
}

std::string ordinal_of_word(string_view word) {
  for (const Irregular& irregular : kIrregular) {
    if (word == irregular.cardinal) {
      return std::string(irregular.ordinal);
    }
  }
  std::string ordinal(word);
  if (ordinal.ends_with('y')) {
    ordinal.back() = 'i';
    return ordinal + "eth";
  }
  return ordinal + "th";
}

constexpr std::size_t kMaxEnglishDigits = 9;  // digits; longer ones are an identifier, not a count

// Digits that are no count are read one by one: "007", card numbers.
bool is_identifier(const WrittenNumber& number) {
  const string_view digits = number.integer;
  const bool leading_zero = digits.size() > 1 && digits.front() == '0';
  const bool round = digits.ends_with("000");
  return leading_zero || !to_value(digits) ||
         (!number.grouped && !round && digits.size() > kMaxEnglishDigits);
}

}  // namespace

std::string english_cardinal(std::uint64_t value) {
  if (value < 100) {
    return below_hundred(value);
  }
  std::string words;
  for (const EnglishScale& scale : kEnglishScales) {
    if (value < scale.value) {
      continue;
    }
    words += words.empty() ? "" : " ";
    words += english_cardinal(value / scale.value);
    words += ' ';
    words += scale.name;
    value %= scale.value;
  }
  if (value > 0) {
    words += ' ' + below_hundred(value);
  }
  return words;
}

std::string english_ordinal(std::uint64_t value) {
  std::string words = english_cardinal(value);
  const std::size_t last = words.find_last_of(" -");
  const std::size_t begin = last == std::string::npos ? 0 : last + 1;
  return words.substr(0, begin) + ordinal_of_word(string_view(words).substr(begin));
}

std::string english_year(std::uint64_t year) {
  const bool by_thousands = year < 1010 || (year >= 2000 && year < 2010) || year >= 2100;
  if (by_thousands) {
    return english_cardinal(year);
  }
  const std::uint64_t rest = year % 100;
  std::string words = below_hundred(year / 100);
  if (rest == 0) {
    return words + " hundred";
  }
  return words + (rest < 10 ? " oh " : " ") + below_hundred(rest);
}

std::string english_decade(std::uint64_t decade) {
  return plural(decade < 1000 ? english_cardinal(decade) : english_year(decade));
}

std::string english_digits(string_view digits) {
  std::string words;
  for (const char digit : digits) {
    words += words.empty() ? "" : " ";
    words += kEnglishSmall[static_cast<std::size_t>(digit - '0')];
  }
  return words;
}

std::string english_fraction(std::uint64_t numerator, std::uint64_t denominator) {
  const std::string count = english_cardinal(numerator) + ' ';
  if (denominator == 2) {
    return count + (numerator == 1 ? "half" : "halves");
  }
  const std::string part = denominator == 4 ? "quarter" : english_ordinal(denominator);
  return count + (numerator == 1 ? part : plural(part));
}

std::string english_integer(const WrittenNumber& number) {
  if (number.integer.empty()) {
    return {};
  }
  return is_identifier(number) ? english_digits(number.integer)
                               : english_cardinal(*to_value(number.integer));
}

std::string english_number(const WrittenNumber& number) {
  std::string words = english_integer(number);
  if (!number.fraction.empty()) {
    words += words.empty() ? "point " : " point ";
    words += english_digits(number.fraction);
  }
  return words;
}

}  // namespace qanat
