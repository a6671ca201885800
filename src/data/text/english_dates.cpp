#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "text/characters.h"
#include "text/english_numbers.h"
#include "text/english_readers.h"

namespace qanat {
namespace {

using std::string_view;

bool half_day_follows(string_view rest) {
  rest = skip_spaces(rest.substr(0, 8));
  return rest.size() >= 2 && (to_ascii_lower(rest[0]) == 'a' || to_ascii_lower(rest[0]) == 'p') &&
         (to_ascii_lower(rest[1]) == 'm' || rest.substr(1, 2) == ".m" || rest.substr(1, 2) == ".M");
}

std::string minute_words(const ClockTime& time, string_view after) {
  if (time.minute > 0) {
    return (time.minute < 10 ? " oh " : " ") +
           english_cardinal(static_cast<std::uint64_t>(time.minute));
  }
  if (half_day_follows(after) || time.second) {
    return {};
  }
  return time.hour >= 1 && time.hour <= 12 ? " o'clock" : " hundred";
}

std::string time_words(const ClockTime& time, string_view after) {
  std::string words =
      english_cardinal(static_cast<std::uint64_t>(time.hour)) + minute_words(time, after);
  if (time.second && (*time.second > 0 || time.minute == 0)) {
    words += " and " + english_cardinal(static_cast<std::uint64_t>(*time.second));
    words += *time.second == 1 ? " second" : " seconds";
  }
  return words;
}

// "10.30am", "10.30 p.m."
std::optional<ClockTime> scan_dotted_time(string_view text) {
  const string_view hour = leading_digits(text.substr(0, 3));
  if (hour.empty() || hour.size() > 2 || text.substr(hour.size(), 1) != ".") {
    return std::nullopt;
  }
  const string_view minute = leading_digits(text.substr(hour.size() + 1, 3));
  const std::size_t length = hour.size() + 1 + minute.size();
  if (minute.size() != 2 || *to_value(minute) >= 60 || *to_value(hour) > 12 ||
      !half_day_follows(text.substr(length))) {
    return std::nullopt;
  }
  return ClockTime{.hour = static_cast<int>(*to_value(hour)),
                   .minute = static_cast<int>(*to_value(minute)),
                   .second = std::nullopt,
                   .length = length};
}

std::string month_and_day(int month, int day) {
  return std::string(english_month_name(month)) + ' ' +
         english_ordinal(static_cast<std::uint64_t>(day));
}

constexpr std::array<string_view, 6> kBeforeDates = {
    "on", "since", "until", "till", "due", "dated"};

// Two digits are a year of this century or the last.
int full_year(int year) {
  return year >= 100 ? year : year < 50 ? 2000 + year : 1900 + year;
}

// "5/12/24", and with full stops "12.05.2024", the day first.
std::optional<WrittenDate> scan_other_date(string_view text) {
  std::array<int, 3> parts = {};
  std::size_t at = 0;
  const string_view first = leading_digits(text.substr(0, 3));
  const char separator = first.size() < text.size() ? text[first.size()] : ' ';
  if (separator != '/' && separator != '.') {
    return std::nullopt;
  }
  const std::size_t year_digits = separator == '/' ? 2 : 4;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const string_view digits = leading_digits(text.substr(at, 5));
    const bool fits = i == 2
                          ? digits.size() == year_digits
                          : (digits.size() == 1 || digits.size() == 2) &&
                                text.substr(at + digits.size(), 1) == text.substr(first.size(), 1);
    if (!fits) {
      return std::nullopt;
    }
    parts[i] = static_cast<int>(*to_value(digits));
    at += digits.size() + (i < 2 ? 1 : 0);
  }
  const bool day_first = separator == '.';
  const WrittenDate date{.year = parts[2],
                         .first = parts[day_first ? 1 : 0],
                         .second = parts[day_first ? 0 : 1],
                         .length = at};
  const bool goes_on =
      at < text.size() && text[at] == separator && starts_with_digit(text.substr(at + 1));
  const bool possible = date.first >= 1 && date.second >= 1 && date.first <= 31 &&
                        date.second <= 31 && std::min(date.first, date.second) <= 12;
  return possible && !goes_on ? std::optional(date) : std::nullopt;
}

std::optional<WrittenDate> scan_any_date(string_view text) {
  const std::optional<WrittenDate> date = scan_date(text);
  return date ? date : scan_other_date(text);
}

// "November 22": the twenty-second.
bool is_day_behind_month(string_view before) {
  return before.ends_with(' ') && english_month(word_before(before)).has_value();
}

// "May 5-7": the seventh, too.
bool is_last_day_behind_month(string_view before) {
  const std::size_t dash = trailing_dash(before);
  before.remove_suffix(dash);
  if (dash == 0 || !ends_in_digit(before)) {
    return false;
  }
  for (int digits = 0; digits < 2 && ends_in_digit(before); ++digits) {
    before.remove_suffix(1);
  }
  return is_day_behind_month(before);
}

bool is_day_before_month(string_view after) {
  return after.starts_with(' ') && english_month(leading_letters(after.substr(1))).has_value();
}

}  // namespace

std::size_t read_english_date(const Place& place, WordWriter& out) {
  const std::optional<WrittenDate> date = scan_any_date(place.rest);
  if (!date || ends_in_digit(place.before)) {
    return 0;
  }
  const bool swapped = date->first > 12;  // month first, unless it cannot be a month
  const int month = swapped ? date->second : date->first;
  const int day = swapped ? date->first : date->second;
  std::string words = month_and_day(month, day) + ", " +
                      english_year(static_cast<std::uint64_t>(full_year(date->year)));
  const string_view after = place.rest.substr(date->length);
  const std::optional<ClockTime> time =
      after.starts_with('T') ? scan_clock_time(after.substr(1)) : std::nullopt;
  if (!time) {
    out.words(words);
    return date->length;
  }
  out.words(words + ", " + time_words(*time, after.substr(1 + time->length)));
  return date->length + 1 + time->length;
}

std::size_t read_english_short_date(const Place& place, WordWriter& out) {
  const std::optional<WrittenFraction> parts = scan_fraction(place.rest);
  const bool possible = parts && parts->numerator >= 1 && parts->numerator <= 12 &&
                        parts->denominator >= 1 && parts->denominator <= 31;
  const std::string word = ascii_lower(word_before(place.before));
  if (!possible || !place.before.ends_with(' ') ||
      std::ranges::find(kBeforeDates, word) == kBeforeDates.end()) {
    return 0;
  }
  out.words(
      month_and_day(static_cast<int>(parts->numerator), static_cast<int>(parts->denominator)));
  return parts->length;
}

std::size_t read_english_clock_time(const Place& place, WordWriter& out) {
  std::optional<ClockTime> time = scan_clock_time(place.rest);
  time = time ? time : scan_dotted_time(place.rest);
  if (!time || ends_in_digit(place.before)) {
    return 0;
  }
  out.words(time_words(*time, place.rest.substr(time->length)));
  return time->length;
}

std::string english_day(const Place& place, const WrittenNumber& number) {
  const std::optional<std::uint64_t> day = to_value(number.integer);
  const bool possible =
      day && *day >= 1 && *day <= 31 && number.fraction.empty() && number.integer.size() <= 2;
  if (!possible) {
    return {};
  }
  if (is_day_before_month(place.rest.substr(number.length))) {
    const bool article = equals_ignoring_case(word_before(place.before), "the");
    return (article ? "" : "the ") + english_ordinal(*day) + " of";
  }
  const bool behind = is_day_behind_month(place.before) || is_last_day_behind_month(place.before);
  return behind ? english_ordinal(*day) : std::string{};
}

}  // namespace qanat
