#include "text/english_dates.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "text/characters.h"
#include "text/english_numbers.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::array<string_view, 12> kMonths = {"January",
                                                 "February",
                                                 "March",
                                                 "April",
                                                 "May",
                                                 "June",
                                                 "July",
                                                 "August",
                                                 "September",
                                                 "October",
                                                 "November",
                                                 "December"};

constexpr std::array<string_view, 11> kShortMonths = {
    "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"};

bool is_month(string_view word) {
  return std::ranges::find(kMonths, word) != kMonths.end();
}

bool is_short_month(string_view word) {
  return std::ranges::find(kShortMonths, word) != kShortMonths.end();
}

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

// "November 22": the twenty-second.
bool is_day_behind_month(string_view before) {
  const string_view word = word_before(before);
  return before.ends_with(' ') && (is_month(word) || is_short_month(word));
}

bool is_day_before_month(string_view after) {
  return after.starts_with(' ') && is_month(leading_letters(after.substr(1)));
}

}  // namespace

std::size_t read_english_date(const Place& place, WordWriter& out) {
  const std::optional<WrittenDate> date = scan_date(place.rest);
  if (!date) {
    return 0;
  }
  const bool swapped = date->first > 12;  // month first, unless it cannot be a month
  const int month = swapped ? date->second : date->first;
  const int day = swapped ? date->first : date->second;
  out.words(ascii_lower(kMonths[static_cast<std::size_t>(month - 1)]) + ' ' +
            english_ordinal(static_cast<std::uint64_t>(day)) + ", " +
            english_year(static_cast<std::uint64_t>(date->year)));
  return date->length;
}

std::size_t read_english_clock_time(const Place& place, WordWriter& out) {
  const std::optional<ClockTime> time = scan_clock_time(place.rest);
  if (!time || ends_in_digit(place.before)) {
    return 0;
  }
  std::string words = english_cardinal(static_cast<std::uint64_t>(time->hour)) +
                      minute_words(*time, place.rest.substr(time->length));
  if (time->second) {
    words += " and " + english_cardinal(static_cast<std::uint64_t>(*time->second));
    words += *time->second == 1 ? " second" : " seconds";
  }
  out.words(words);
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
  return is_day_behind_month(place.before) ? english_ordinal(*day) : std::string{};
}

}  // namespace qanat
