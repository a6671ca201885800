#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "text/number_scan.h"
#include "text/persian_numbers.h"
#include "text/persian_readers.h"
#include "text/word_list.h"

namespace qanat {
namespace {

using std::string_view;

constexpr int kFirstGregorianYear = 1700;  // below it a year is Jalali

constexpr std::array kJalaliMonths =
    word_list<12>("فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند");
constexpr std::array kGregorianMonths =
    word_list<12>("ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر");

struct CalendarLetter {
  string_view letter;
  string_view name;
};

constexpr std::array kCalendarLetters = {
    CalendarLetter{"م", "میلادی"}, CalendarLetter{"ش", "شمسی"}, CalendarLetter{"ق", "قمری"}};

struct Day {
  int year = 0;
  std::size_t year_width = 4;
  int month = 0;
  int day = 0;
  std::size_t length = 0;
};

std::string month_name(int month, int year) {
  const bool gregorian = year >= kFirstGregorianYear;
  const auto& months = gregorian ? kGregorianMonths : kJalaliMonths;
  return std::string(months[static_cast<std::size_t>(month - 1)]);
}

std::string to_words(int value) {
  return persian_cardinal(static_cast<std::uint64_t>(value));
}

// ۶۹ شصت و نه, ۰۲ صفر دو
std::string year_words(const Day& date) {
  const bool leading_zero = date.year_width == 2 && date.year < 10;
  return (leading_zero ? "صفر " : "") + to_words(date.year);
}

// Three numbers and one kind of separator.
struct ThreeParts {
  std::array<int, 3> values = {};
  std::array<std::size_t, 3> widths = {};
  char separator = 0;
  std::size_t length = 0;
};

std::optional<ThreeParts> scan_three_parts(string_view text) {
  ThreeParts parts;
  for (std::size_t i = 0; i < parts.values.size(); ++i) {
    if (i > 0) {
      const char mark = parts.length < text.size() ? text[parts.length] : '\0';
      if ((mark != '/' && mark != '-' && mark != '.') || (i == 2 && mark != parts.separator)) {
        return std::nullopt;
      }
      parts.separator = mark;
      ++parts.length;
    }
    const string_view digits = leading_digits(text.substr(parts.length, 5));
    if (digits.empty() || digits.size() > 4) {
      return std::nullopt;
    }
    parts.values[i] = static_cast<int>(*to_value(digits));
    parts.widths[i] = digits.size();
    parts.length += digits.size();
  }
  const string_view after = text.substr(parts.length);
  const bool goes_on = after.starts_with(parts.separator) && starts_with_digit(after.substr(1));
  return goes_on ? std::nullopt : std::optional(parts);
}

bool is_day(int month, int day) {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

// With a year of four digits, first or last; the month stands in the middle unless it cannot.
std::optional<Day> full_date(const ThreeParts& parts) {
  const bool year_first = parts.widths[0] == 4 && parts.widths[2] <= 2;
  const bool year_last = parts.widths[2] == 4 && parts.widths[0] <= 2;
  if (parts.widths[1] > 2 || (!year_first && !year_last)) {
    return std::nullopt;
  }
  const int last = parts.values[1];
  const int other = year_first ? parts.values[2] : parts.values[0];
  Day date{.year = parts.values[year_first ? 0 : 2], .length = parts.length};
  date.month = last > 12 ? other : last;
  date.day = last > 12 ? last : other;
  return is_day(date.month, date.day) ? std::optional(date) : std::nullopt;
}

// ۶۹/۰۵/۱۲ and ۱۲/۰۵/۶۹
std::optional<Day> short_date(const ThreeParts& parts, string_view before) {
  const bool narrow = parts.widths[0] == 2 && parts.widths[1] <= 2 && parts.widths[2] <= 2;
  const bool plain = parts.separator == '/' && parts.widths[1] + parts.widths[2] >= 3;
  if (parts.widths[0] > 2 || parts.widths[1] > 2 || parts.widths[2] > 2 ||
      !((narrow && plain) || behind_date_word(before))) {
    return std::nullopt;
  }
  Day date{.year = parts.values[0],
           .year_width = parts.widths[0],
           .month = parts.values[1],
           .day = parts.values[2],
           .length = parts.length};
  if (date.day > 31 && parts.widths[2] == 2) {
    date.year = parts.values[2];
    date.year_width = parts.widths[2];
    date.day = parts.values[0];
  }
  return is_day(date.month, date.day) ? std::optional(date) : std::nullopt;
}

std::string clock_words(const ClockTime& time) {
  std::string words = to_words(time.hour);
  if (time.minute > 0) {
    words += " و " + to_words(time.minute) + " دقیقه";
  }
  if (time.second && *time.second > 0) {
    words += " و " + to_words(*time.second) + " ثانیه";
  }
  return words;
}

// The T10:30:00Z behind a date: its time of day and the marks around it.
std::size_t read_joined_time(string_view after, std::string& words) {
  if (!after.starts_with('T')) {
    return 0;
  }
  const std::optional<ClockTime> time = scan_clock_time(after.substr(1));
  if (!time) {
    return 0;
  }
  words += " ساعت " + clock_words(*time);
  const std::size_t length = 1 + time->length;
  return length + (after.substr(length).starts_with('Z') ? 1 : 0);
}

}  // namespace

// ۱۴۰۲/۰۵/۱۲ دوازدهم مرداد هزار و چهارصد و دو
std::size_t read_persian_date(const Place& place, WordWriter& out) {
  if (ends_in_digit(place.before) || !starts_with_digit(place.rest)) {
    return 0;
  }
  const std::optional<ThreeParts> parts = scan_three_parts(place.rest);
  if (!parts) {
    return 0;
  }
  std::optional<Day> date = full_date(*parts);
  date = date ? date : short_date(*parts, place.before);
  if (!date) {
    return 0;
  }
  std::string words = persian_ordinal(static_cast<std::uint64_t>(date->day)) + ' ' +
                      month_name(date->month, date->year) + ' ' + year_words(*date);
  const std::size_t time = read_joined_time(place.rest.substr(date->length), words);
  out.words(words);
  return date->length + time;
}

// ۱۴۰۲/۱۴۰۳, ۱۴۰۲/۰۵ and, behind «تاریخ», ۵/۱۲
std::size_t read_partial_date(const Place& place, WordWriter& out) {
  const std::optional<WrittenFraction> written = scan_fraction(place.rest);
  if (!written || ends_in_digit(place.before) || written->length < 3) {
    return 0;
  }
  const std::size_t width = leading_digits(place.rest).size();
  const std::size_t second_width = written->length - width - 1;
  const int first = static_cast<int>(written->numerator);
  const int second = static_cast<int>(written->denominator);
  const auto is_year = [](int year) { return year >= 1200 && year <= 2199; };
  const string_view after = place.rest.substr(written->length);
  if (width == 4 && second_width == 4 && is_year(first) && is_year(second)) {
    out.words(to_words(first) + "، " + to_words(second));
  } else if (width == 4 && second_width == 2 && is_year(first) && is_day(second, 1) &&
             !measure_follows(after)) {
    out.words(month_name(second, first) + ' ' + to_words(first));
  } else if (width <= 2 && second_width <= 2 && is_day(first, second) &&
             behind_date_word(place.before)) {
    out.words(persian_ordinal(written->denominator) + ' ' + month_name(first, 0));
  } else {
    return 0;
  }
  return written->length;
}

std::size_t read_persian_clock_time(const Place& place, WordWriter& out) {
  const std::optional<ClockTime> time = scan_clock_time(place.rest);
  if (!time || ends_in_digit(place.before) || behind_ratio_word(place.before)) {
    return 0;
  }
  out.words(clock_words(*time));
  return time->length;
}

// ساعت ۸/۳۰, ۸.۳۰ صبح
std::size_t read_slashed_time(const Place& place, WordWriter& out) {
  const string_view hour = leading_digits(place.rest.substr(0, 3));
  const string_view rest = place.rest.substr(hour.size());
  const string_view minute = leading_digits(rest.substr(std::min<std::size_t>(1, rest.size()), 3));
  const bool shaped = !hour.empty() && hour.size() <= 2 && minute.size() == 2 &&
                      (rest[0] == '/' || rest[0] == '.') && !ends_in_digit(place.before);
  if (!shaped || *to_value(hour) > 24 || *to_value(minute) > 59) {
    return 0;
  }
  const std::size_t length = hour.size() + 1 + minute.size();
  const string_view after = place.rest.substr(length);
  const bool told = behind_clock_word(place.before) && !measure_follows(after);
  if (!told && !part_of_day_follows(after)) {
    return 0;
  }
  out.words(clock_words({.hour = static_cast<int>(*to_value(hour)),
                         .minute = static_cast<int>(*to_value(minute)),
                         .second = std::nullopt,
                         .length = length}));
  return length;
}

// ۱۹۴۵م میلادی, ۱۳۵۷ش شمسی: a letter behind a year.
std::size_t read_year_of_calendar(const Place& place, WordWriter& out) {
  const string_view digits = leading_digits(place.rest.substr(0, 5));
  if (digits.size() < 3 || digits.size() > 4 || ends_in_digit(place.before)) {
    return 0;
  }
  const bool spaced = place.rest.substr(digits.size()).starts_with(' ');
  const string_view letter = place.rest.substr(digits.size() + (spaced ? 1 : 0));
  const bool year = digits.size() == 4 && digits < string_view("2200");
  const bool told = spaced && (behind_year_word(place.before) || place.before.ends_with('('));
  if (!year && !told) {
    return 0;
  }
  for (const CalendarLetter& calendar : kCalendarLetters) {
    const string_view after = letter.substr(std::min(calendar.letter.size(), letter.size()));
    if (!letter.starts_with(calendar.letter) || starts_with_persian_letter(after) ||
        (after.starts_with('.') && starts_with_persian_letter(after.substr(1)))) {
      continue;
    }
    out.words(persian_cardinal(*to_value(digits)) + ' ' + std::string(calendar.name));
    return digits.size() + (spaced ? 1 : 0) + calendar.letter.size();
  }
  return 0;
}

}  // namespace qanat
