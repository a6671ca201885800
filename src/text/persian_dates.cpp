#include "text/persian_dates.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "text/number_scan.h"
#include "text/persian_numbers.h"

namespace qanat {
namespace {

using std::string_view;

constexpr int kFirstGregorianYear = 1700;  // below it a year is Jalali

constexpr std::array<string_view, 12> kJalaliMonths = {"فروردین",
                                                       "اردیبهشت",
                                                       "خرداد",
                                                       "تیر",
                                                       "مرداد",
                                                       "شهریور",
                                                       "مهر",
                                                       "آبان",
                                                       "آذر",
                                                       "دی",
                                                       "بهمن",
                                                       "اسفند"};

constexpr std::array<string_view, 12> kGregorianMonths = {"ژانویه",
                                                          "فوریه",
                                                          "مارس",
                                                          "آوریل",
                                                          "مه",
                                                          "ژوئن",
                                                          "ژوئیه",
                                                          "اوت",
                                                          "سپتامبر",
                                                          "اکتبر",
                                                          "نوامبر",
                                                          "دسامبر"};

}  // namespace

// ۱۴۰۲/۰۵/۱۲ دوازدهم مرداد هزار و چهارصد و دو
std::size_t read_persian_date(const Place& place, WordWriter& out) {
  const std::optional<WrittenDate> date = scan_date(place.rest);
  if (!date) {
    return 0;
  }
  const int last = date->year_first ? date->first : date->second;  // month, unless it cannot be
  const int other = date->year_first ? date->second : date->first;
  const int month = last > 12 ? other : last;
  const int day = last > 12 ? last : other;
  const auto& months = date->year < kFirstGregorianYear ? kJalaliMonths : kGregorianMonths;
  out.words(persian_ordinal(static_cast<std::uint64_t>(day)) + ' ' +
            std::string(months[static_cast<std::size_t>(month - 1)]) + ' ' +
            persian_cardinal(static_cast<std::uint64_t>(date->year)));
  return date->length;
}

std::size_t read_persian_clock_time(const Place& place, WordWriter& out) {
  const std::optional<ClockTime> time = scan_clock_time(place.rest);
  if (!time || ends_in_digit(place.before)) {
    return 0;
  }
  std::string words = persian_cardinal(static_cast<std::uint64_t>(time->hour));
  if (time->minute > 0) {
    words += " و " + persian_cardinal(static_cast<std::uint64_t>(time->minute)) + " دقیقه";
  }
  if (time->second && *time->second > 0) {
    words += " و " + persian_cardinal(static_cast<std::uint64_t>(*time->second)) + " ثانیه";
  }
  out.words(words);
  return time->length;
}

}  // namespace qanat
