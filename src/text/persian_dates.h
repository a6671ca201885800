// Dates and times of day in Persian text.
#pragma once

#include <cstddef>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// ۱۴۰۲/۰۵/۱۲ and ۱۲/۵/۱۴۰۲, Jalali or Gregorian by the year. The bytes taken, or 0.
std::size_t read_persian_date(const Place& place, WordWriter& out);

// ۱۰:۳۰ ده و سی دقیقه. The bytes taken, or 0.
std::size_t read_persian_clock_time(const Place& place, WordWriter& out);

}  // namespace qanat
