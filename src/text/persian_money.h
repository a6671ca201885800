// Amounts of foreign money in Persian text: $۵۰, $۲ میلیون.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Reads an amount whose sign stands in front. The bytes it took, or 0.
std::size_t read_persian_money(const Place& place, WordWriter& out);

// A sign behind a number (۵۰ $): its word and length, 0 when there is none.
struct PersianCurrencySuffix {
  std::string_view word;
  std::size_t length = 0;
};

PersianCurrencySuffix find_persian_currency(std::string_view sign);

}  // namespace qanat
