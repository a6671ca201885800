// Dates and times of day in Persian text.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "text/place.h"
#include "text/word_list.h"
#include "text/word_writer.h"

namespace qanat {

inline constexpr std::array kJalaliMonths =
    word_list<12>("فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند");

// Each returns the bytes it took, or 0 when there is no such thing here.

// ۱۴۰۲/۰۵/۱۲, ۱۲/۵/۱۴۰۲, 1402.05.12, ۶۹/۰۵/۱۲, 2024-05-12T10:30:00. Jalali or Gregorian by the
// year; two digits are a Jalali year.
std::size_t read_persian_date(const Place& place, WordWriter& out);

// ۱۴۰۲/۱۴۰۳, ۱۴۰۲/۰۵ and, behind «تاریخ», ۵/۱۲
std::size_t read_partial_date(const Place& place, WordWriter& out);

// ۱۰:۳۰ ده و سی دقیقه
std::size_t read_persian_clock_time(const Place& place, WordWriter& out);

// ساعت ۸/۳۰, ۸.۳۰ صبح
std::size_t read_slashed_time(const Place& place, WordWriter& out);

// ۱۹۴۵م, ۱۳۵۷ش, ۱۰۳۷ م
std::size_t read_year_of_calendar(const Place& place, WordWriter& out);

}  // namespace qanat
