// Roman numerals in Persian text: قرن XX, فصل IV.
#pragma once

#include <cstddef>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Of the numeral at `place`, behind a word that is numbered; 0 when there is none.
std::size_t persian_roman_length(const Place& place);

// Reads it: an ordinal behind a century or a king, a number behind a chapter. The bytes taken, or
// 0.
std::size_t read_persian_roman(const Place& place, WordWriter& out);

}  // namespace qanat
