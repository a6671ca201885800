#include "text/number_scan.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "text/characters.h"

namespace qanat {
namespace {

constexpr std::size_t kLongestValue = 18;  // digits

bool digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_ascii_digit(text[at]);
}

// "," and exactly three digits.
bool thousands_at(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] == ',' && digit_at(text, at + 1) && digit_at(text, at + 2) &&
         digit_at(text, at + 3) && !digit_at(text, at + 4);
}

// A small number of one to `most` digits; moves `at` behind it.
std::optional<int> scan_small(std::string_view text, std::size_t& at, std::size_t most) {
  const std::string_view digits = leading_digits(text.substr(at, most + 1));
  if (digits.empty() || digits.size() > most) {
    return std::nullopt;
  }
  at += digits.size();
  return static_cast<int>(*to_value(digits));
}

// Two digits behind a colon, below 60.
std::optional<int> scan_sixtieths(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != ':' || leading_digits(text.substr(at + 1, 3)).size() != 2) {
    return std::nullopt;
  }
  std::size_t end = at + 1;
  const std::optional<int> value = scan_small(text, end, 2);
  if (!value || *value >= 60) {
    return std::nullopt;
  }
  at = end;
  return value;
}

bool looks_like_phone(const PhoneNumber& number, bool hyphenated) {
  const DigitGroups& groups = number.groups;
  const std::size_t total = groups.num_digits(groups.size());
  if (number.international) {
    return total >= 8 && total <= 15;
  }
  if (groups.have_sizes({3, 3, 4}) || groups.have_sizes({1, 3, 3, 4})) {
    return true;
  }
  if (groups.front()[0] == '0') {
    return total >= 7 && total <= 15 && (groups.size() == 1 || hyphenated);
  }
  // "100-1000" is a range.
  const bool round = groups.front().ends_with("00") || groups.back().ends_with("000");
  return hyphenated && groups.have_sizes({3, 4}) && !round;
}

}  // namespace

std::size_t DigitGroups::num_digits(std::size_t count) const {
  return std::accumulate(
      begin(), begin() + count, std::size_t{0}, [](std::size_t sum, std::string_view group) {
        return sum + group.size();
      });
}

bool DigitGroups::have_sizes(std::initializer_list<std::size_t> sizes) const {
  return std::ranges::equal(*this, sizes, {}, &std::string_view::size);
}

std::string_view leading_digits(std::string_view text) {
  const auto* end = std::ranges::find_if_not(text, is_ascii_digit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::optional<std::uint64_t> to_value(std::string_view digits) {
  if (digits.empty() || digits.size() > kLongestValue) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (const char digit : digits) {
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

std::optional<WrittenNumber> scan_number(std::string_view text) {
  WrittenNumber number;
  number.integer = leading_digits(text);
  number.length = number.integer.size();
  const bool may_be_grouped = number.length >= 1 && number.length <= 3;
  while (may_be_grouped && thousands_at(text, number.length)) {
    number.grouped = true;
    number.integer += text.substr(number.length + 1, 3);
    number.length += 4;
  }
  if (number.length < text.size() && text[number.length] == '.' &&
      digit_at(text, number.length + 1)) {
    number.fraction = leading_digits(text.substr(number.length + 1));
    number.length += 1 + number.fraction.size();
  }
  if (number.length == 0) {
    return std::nullopt;
  }
  return number;
}

std::optional<ClockTime> scan_clock_time(std::string_view text) {
  ClockTime time;
  const std::optional<int> hour = scan_small(text, time.length, 2);
  if (!hour || *hour > 24) {
    return std::nullopt;
  }
  const std::optional<int> minute = scan_sixtieths(text, time.length);
  if (!minute) {
    return std::nullopt;
  }
  time.hour = *hour;
  time.minute = *minute;
  time.second = scan_sixtieths(text, time.length);
  return time;
}

std::optional<WrittenDate> scan_date(std::string_view text) {
  std::size_t at = 0;
  std::array<int, 3> parts = {};
  std::array<std::size_t, 3> widths = {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && (at >= text.size() || (text[at] != '/' && text[at] != '-') ||
                  text[at] != text[widths[0]])) {
      return std::nullopt;
    }
    at += i > 0 ? 1 : 0;
    const std::size_t begin = at;
    const std::optional<int> part = scan_small(text, at, 4);
    if (!part) {
      return std::nullopt;
    }
    parts[i] = *part;
    widths[i] = at - begin;
  }
  const bool year_first = widths[0] == 4 && widths[2] <= 2;
  const bool year_last = widths[2] == 4 && widths[0] <= 2;
  if (widths[1] > 2 || (!year_first && !year_last)) {
    return std::nullopt;
  }
  WrittenDate date{.year = parts[year_first ? 0 : 2],
                   .first = parts[year_first ? 1 : 0],
                   .second = parts[year_first ? 2 : 1],
                   .year_first = year_first,
                   .length = at};
  const bool days_and_months = date.first >= 1 && date.second >= 1 && date.first <= 31 &&
                               date.second <= 31 && std::min(date.first, date.second) <= 12;
  return days_and_months ? std::optional(date) : std::nullopt;
}

std::optional<WrittenFraction> scan_fraction(std::string_view text) {
  const std::string_view numerator = leading_digits(text.substr(0, 5));
  if (numerator.empty() || numerator.size() > 4 || text.substr(numerator.size(), 1) != "/") {
    return std::nullopt;
  }
  const std::string_view denominator = leading_digits(text.substr(numerator.size() + 1, 5));
  const std::size_t length = numerator.size() + 1 + denominator.size();
  const bool goes_on = length < text.size() && text[length] == '/';
  if (denominator.empty() || denominator.size() > 4 || goes_on) {
    return std::nullopt;
  }
  return WrittenFraction{
      .numerator = *to_value(numerator), .denominator = *to_value(denominator), .length = length};
}

std::optional<PhoneNumber> scan_phone_number(std::string_view text) {
  PhoneNumber number;
  std::size_t at = 0;
  number.international = text.starts_with('+');
  at += number.international ? 1 : 0;
  bool hyphenated = true;
  while (!number.groups.full()) {
    const bool bracket = at < text.size() && text[at] == '(';
    const std::string_view digits = leading_digits(text.substr(at + (bracket ? 1 : 0), 16));
    std::size_t end = at + (bracket ? 1 : 0) + digits.size();
    if (digits.empty() || (bracket && (end >= text.size() || text[end] != ')'))) {
      break;
    }
    end += bracket ? 1 : 0;
    number.groups.add(digits);
    number.length = end;
    const bool spaced = end < text.size() && text[end] == ' ' && (bracket || number.international);
    const bool joined = end < text.size() && (text[end] == '-' || text[end] == '.');
    if (!spaced && !joined) {
      break;
    }
    hyphenated = hyphenated && !(text[end] == '.' && digit_at(text, end + 1));
    at = end + 1;
  }
  const bool more_digits = digit_at(text, number.length);
  if (number.groups.empty() || more_digits || !looks_like_phone(number, hyphenated)) {
    return std::nullopt;
  }
  return number;
}

std::string_view leading_currency_sign(std::string_view text) {
  for (const std::string_view sign : {"$", "£", "€", "¥", "₹"}) {
    if (text.starts_with(sign)) {
      return text.substr(0, sign.size());
    }
  }
  return {};
}

}  // namespace qanat
