// Amounts of money in English text: "$1,234.50", "£2 million".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/number_scan.h"
#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Reads an amount whose sign stands in front. The bytes it took, or 0.
std::size_t read_english_money(const Place& place, WordWriter& out);

// A sign behind a number ("5 €", "50¢"): its word and length, 0 when there is none.
struct CurrencySuffix {
  std::string word;
  std::size_t length = 0;
};

CurrencySuffix find_english_currency(std::string_view sign, const WrittenNumber& number);

}  // namespace qanat
