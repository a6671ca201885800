// Numbers in English words, American style: "one hundred five", "twenty-one".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/number_scan.h"

namespace qanat {

std::string english_cardinal(std::uint64_t value);
std::string english_ordinal(std::uint64_t value);

// 1455 "fourteen fifty-five", 1900 "nineteen hundred", 1905 "nineteen oh five", 2005 "two thousand
// five", 2024 "twenty twenty-four". For 1000 to 2099; others are cardinals.
std::string english_year(std::uint64_t year);

// 1980 "nineteen eighties", 1900 "nineteen hundreds", 80 "eighties"
std::string english_decade(std::uint64_t decade);

// "507" "five zero seven"
std::string english_digits(std::string_view digits);

// 1, 2 "one half"; 3, 4 "three quarters"; 2, 100 "two hundredths"
std::string english_fraction(std::uint64_t numerator, std::uint64_t denominator);

// A number as it is written; digits that are no count ("007", card numbers) are read one by one.
std::string english_integer(const WrittenNumber& number);
std::string english_number(const WrittenNumber& number);

}  // namespace qanat
