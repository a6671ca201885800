#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/characters.h"
#include "text/number_scan.h"
#include "text/persian_numbers.h"
#include "text/persian_readers.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::size_t kDigitsOfNumber = 11;  // with the leading zero
constexpr std::size_t kDigitsOfCard = 16;
constexpr std::size_t kDigitsOfIban = 24;
constexpr std::size_t kMinDigitsOfIban = 6;  // of one that is cut short

// Where the digits of one written group are parted when they are spoken.
std::vector<std::size_t> spoken_sizes(string_view digits) {
  switch (digits.size()) {
    case 11:
      return digits.starts_with("09") ? std::vector<std::size_t>{4, 3, 2, 2}
                                      : std::vector<std::size_t>{3, 2, 2, 2, 2};
    case 10:
      return {3, 3, 2, 2};
    case 8:
      return {2, 2, 2, 2};
    case 7:
      return {3, 2, 2};
    case 4:
      return digits.front() == '0' ? std::vector<std::size_t>{4} : std::vector<std::size_t>{2, 2};
    default:
      return {digits.size()};
  }
}

void append_spoken(std::string& words, string_view digits, const std::vector<std::size_t>& sizes) {
  std::size_t begin = 0;
  for (const std::size_t size : sizes) {
    words += words.empty() || words.ends_with(' ') ? "" : "، ";
    words += persian_digit_group(digits.substr(begin, size));
    begin += size;
  }
}

// With one space or hyphen between them.
DigitGroups scan_spoken_groups(string_view text) {
  DigitGroups groups;
  for (std::size_t at = 0; !groups.full(); ++at) {
    const string_view digits = leading_digits(text.substr(at, kDigitsOfCard + 1));
    if (digits.empty()) {
      break;
    }
    groups.add(digits);
    at += digits.size();
    if (at >= text.size() || (text[at] != ' ' && text[at] != '-')) {
      break;
    }
  }
  return groups;
}

// How many groups make up a number of `digits` digits; 0: none do.
std::size_t groups_with(const DigitGroups& groups, std::size_t digits) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    total += groups[i].size();
    if (total == digits) {
      return i + 1;
    }
  }
  return 0;
}

// What comes behind the first `count` groups, of which there are that many.
string_view behind_groups(const Place& place, const DigitGroups& groups, std::size_t count) {
  const string_view last = groups[count - 1];
  return place.rest.substr(static_cast<std::size_t>(last.end() - place.rest.begin()));
}

bool ends_here(string_view after) {
  const bool more = starts_with_digit(after) ||
                    (!after.empty() && string_view("-/.,:").find(after[0]) != string_view::npos &&
                     starts_with_digit(after.substr(1)));
  return !more;
}

std::size_t write_groups(const Place& place,
                         const DigitGroups& groups,
                         std::size_t count,
                         WordWriter& out) {
  std::string words;
  for (std::size_t i = 0; i < count; ++i) {
    append_spoken(words, groups[i], spoken_sizes(groups[i]));
  }
  out.words(words);
  return place.rest.size() - behind_groups(place, groups, count).size();
}

// ۰۹۱۲ ۱۲۳ ۴۵۶۷
std::size_t read_spaced_number(const Place& place, WordWriter& out) {
  if (!place.rest.starts_with('0')) {
    return 0;
  }
  const DigitGroups groups = scan_spoken_groups(place.rest);
  const std::size_t count = groups_with(groups, kDigitsOfNumber);
  if (count < 2 || groups.front().size() < 3 || !ends_here(behind_groups(place, groups, count))) {
    return 0;
  }
  return write_groups(place, groups, count, out);
}

// ۸۸۷۷۶۶۵۵, ۸۸۷۷-۶۶۵۵ and ۲۲۳-۴۵۶۷ behind «تلفن».
std::size_t read_local_number(const Place& place, WordWriter& out) {
  const DigitGroups groups = scan_spoken_groups(place.rest);
  for (const std::size_t digits : {8U, 7U}) {
    const std::size_t count = groups_with(groups, digits);
    if (count == 0 || count > 4) {
      continue;
    }
    const string_view after = behind_groups(place, groups, count);
    if (ends_here(after) && !measure_follows(after) && behind_phone_word(place.before)) {
      return write_groups(place, groups, count, out);
    }
  }
  return 0;
}

bool is_local_shape(const PhoneNumber& number) {
  return !number.international && number.groups.have_sizes({3, 4}) &&
         number.groups.front()[0] != '0';
}

bool at_number_start(const Place& place) {
  return !ends_in_digit(place.before) && !place.before.ends_with('.') &&
         !place.before.ends_with('/');
}

}  // namespace

std::size_t read_persian_phone(const Place& place, WordWriter& out) {
  if (!at_number_start(place)) {
    return 0;
  }
  if (starts_with_digit(place.rest)) {
    if (const std::size_t length = read_spaced_number(place, out); length > 0) {
      return length;
    }
    if (const std::size_t length = read_local_number(place, out); length > 0) {
      return length;
    }
  }
  const std::optional<PhoneNumber> number = scan_phone_number(place.rest);
  if (!number || is_local_shape(*number) || scan_date(place.rest)) {
    return 0;
  }
  std::string words = number->international ? "مثبت " : "";
  for (const string_view group : number->groups) {
    append_spoken(words, group, spoken_sizes(group));
  }
  out.words(words);
  return number->length;
}

std::size_t read_persian_card(const Place& place, WordWriter& out) {
  if (!starts_with_digit(place.rest) || !at_number_start(place)) {
    return 0;
  }
  const DigitGroups groups = scan_spoken_groups(place.rest);
  const std::size_t count = groups_with(groups, kDigitsOfCard);
  const bool grouped =
      count == 4 && groups[0].size() == 4 && groups[1].size() == 4 && groups[2].size() == 4;
  const bool solid = count == 1 && behind_card_word(place.before);
  if ((!grouped && !solid) || !ends_here(behind_groups(place, groups, count))) {
    return 0;
  }
  std::string words;
  for (std::size_t i = 0; i < count; ++i) {
    append_spoken(words, groups[i], std::vector<std::size_t>(groups[i].size() / 2, 2));
  }
  out.words(words);
  return place.rest.size() - behind_groups(place, groups, count).size();
}

std::size_t iban_length(string_view text) {
  if (!text.starts_with("IR")) {
    return 0;
  }
  std::size_t digits = 0;
  std::size_t end = 0;
  for (std::size_t at = 2; at < text.size() && digits <= kDigitsOfIban; ++at) {
    if (starts_with_digit(text.substr(at))) {
      ++digits;
      end = at + 1;
    } else if (text[at] != ' ' && text[at] != '-') {
      break;
    }
  }
  return digits >= kMinDigitsOfIban && digits <= kDigitsOfIban ? end : 0;
}

std::size_t read_iban(const Place& place, WordWriter& out) {
  const std::size_t length = ends_in_letter(place.before) ? 0 : iban_length(place.rest);
  if (length == 0) {
    return 0;
  }
  std::string digits(place.rest.substr(2, length - 2));
  std::erase_if(digits, [](char byte) { return !is_ascii_digit(byte); });
  out.words("آی آر " + persian_digits(digits));
  return length;
}

}  // namespace qanat
