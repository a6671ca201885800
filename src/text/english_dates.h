// Dates and times of day in English text.
#pragma once

#include <cstddef>
#include <string>

#include "text/number_scan.h"
#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// "5/12/2024", "5/12/24" (month first, unless it cannot be), "12.05.2024" (day first),
// "2024-05-12", "2024-05-12T14:30:00". The bytes taken, or 0.
std::size_t read_english_date(const Place& place, WordWriter& out);

// "on 3/15": month and day behind a word that asks for a date. The bytes taken, or 0.
std::size_t read_english_short_date(const Place& place, WordWriter& out);

// "10:30", "10:30:15". The bytes taken, or 0.
std::size_t read_english_clock_time(const Place& place, WordWriter& out);

// What `number`, which starts at `place`, is as a day beside a month: "November 22" gives
// "twenty-second", "22 November" gives "the twenty-second of". Empty when there is no month.
std::string english_day(const Place& place, const WrittenNumber& number);

}  // namespace qanat
