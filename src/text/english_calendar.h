// Names of months and days in English text, short or in full.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// A full or short name of a month or day, given in lower case.
bool is_calendar_name(std::string_view lower);

// 1 to 12 of "May" or "Sept"; nothing for other words.
std::optional<int> english_month(std::string_view word);

// "january" for 1.
std::string_view english_month_name(int month);

// Reads `word`, the letters at `place`, if it is a short name of a month or day there ("Dec 25",
// "Sat., June 3", "Mon-Fri"). The bytes taken, or 0.
std::size_t read_english_calendar_name(const Place& place, std::string_view word, WordWriter& out);

// Whether a dash between these stands between two months or two days: "Mon-Fri".
bool parts_calendar_names(std::string_view before, std::string_view after);

}  // namespace qanat
