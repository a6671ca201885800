#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "text/number_scan.h"
#include "text/persian_numbers.h"
#include "text/persian_readers.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::size_t kLongestName = 96;  // bytes
constexpr std::size_t kMaxSlashPart = 3;  // digits; ۱۴۰۲/۵/۱۲ is a date

constexpr std::array<string_view, 7> kVersionWords = {"نسخه",
                                                      "نسخه‌های",
                                                      "ورژن",
                                                      "ورژن‌های",
                                                      "نگارش",
                                                      "نگارش‌های",
                                                      "ویرایش"};

// «پایتون ۳٫۱۲» and «جدول ۲٫۴» are no quantities.
constexpr std::array kPersianVersioned = {
#include "text/persian_versioned_rows.inc"
};

// What stands between the numbers of a list.
constexpr std::array<string_view, 5> kJoints = {" و", " تا", " یا", " به", ","};

string_view without_spaces_behind(string_view text) {
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  return text;
}

string_view without_number_behind(string_view text) {
  const std::size_t end = text.find_last_not_of("0123456789.");
  return text.substr(0, end == string_view::npos ? 0 : end + 1);
}

// What stands before the first number of a list that ends here: «نسخه‌های » of «نسخه‌های ۲٫۱،
// ۲٫۲ و ».
string_view before_list(string_view before) {
  for (;;) {
    const string_view text = without_spaces_behind(before);
    const auto* joint =
        std::ranges::find_if(kJoints, [&](string_view one) { return text.ends_with(one); });
    if (joint == kJoints.end()) {
      return before;
    }
    const string_view numbers = without_spaces_behind(text.substr(0, text.size() - joint->size()));
    const string_view first = without_number_behind(numbers);
    if (first.size() == numbers.size()) {
      return before;
    }
    before = first;
  }
}

bool behind_versioned_name(string_view before) {
  const std::size_t size = std::min(before.size(), kLongestName);
  return persian_word_before(
      ascii_lower(before.substr(before.size() - size)), kPersianVersioned, 1);
}

// «از ۱٫۹ به نسخهٔ ۲٫۰»
bool leads_to_version(string_view after) {
  constexpr std::array<string_view, 2> kTo = {"به ", "تا "};
  after = skip_spaces(after);
  const auto* to =
      std::ranges::find_if(kTo, [&](string_view one) { return after.starts_with(one); });
  return to != kTo.end() && std::ranges::any_of(kVersionWords, [&](string_view word) {
           return after.substr(to->size()).starts_with(word);
         });
}

struct Version {
  std::string words;
  std::size_t parts = 0;
  std::size_t longest = 0;  // part, in digits
  std::size_t length = 0;   // bytes
};

Version scan_version(string_view rest, char separator) {
  Version version;
  for (;;) {
    const string_view digits = leading_digits(rest.substr(version.length));
    version.words += (version.parts > 0 ? " نقطه " : "") + persian_digit_group(digits);
    version.length += digits.size();
    version.longest = std::max(version.longest, digits.size());
    ++version.parts;
    const string_view after = rest.substr(version.length);
    if (!after.starts_with(separator) || !starts_with_digit(after.substr(1))) {
      return version;
    }
    ++version.length;
  }
}

bool may_be_version(const Place& place) {
  return starts_with_digit(place.rest) && !ends_in_digit(place.before);
}

std::size_t write_version(const Version& version, string_view rest, WordWriter& out) {
  const string_view behind = rest.substr(version.length);
  out.words(version.words);
  const bool built =
      version.parts > 2 && behind.starts_with('-') && starts_with_digit(behind.substr(1));
  return version.length + (built ? 1 : 0);  // 5.15.0-91: no range
}

// A name does not make a version of an amount: «سهم اندروید ۴٫۴ درصد».
bool is_quantity(string_view behind) {
  return measure_follows(behind) || skip_spaces(behind).starts_with('%');
}

}  // namespace

bool behind_version_word(string_view before) {
  return persian_word_before(before, kVersionWords, 2);
}

std::size_t read_named_version(const Place& place, WordWriter& out) {
  if (!may_be_version(place) ||
      !(behind_version_word(place.before) || place.before.ends_with('v'))) {
    return 0;
  }
  Version version = scan_version(place.rest, '.');
  if (version.parts == 1) {
    version = scan_version(place.rest, '/');
    if (version.longest > kMaxSlashPart || is_quantity(place.rest.substr(version.length))) {
      return 0;
    }
  }
  return version.parts > 1 ? write_version(version, place.rest, out) : 0;
}

std::size_t read_version(const Place& place, WordWriter& out) {
  if (!may_be_version(place)) {
    return 0;
  }
  const Version version = scan_version(place.rest, '.');
  if (version.parts > 2) {
    return is_grouped_amount(place.rest) ? 0 : write_version(version, place.rest, out);
  }
  const string_view behind = place.rest.substr(version.length);
  const string_view first = before_list(place.before);
  const bool named = behind_versioned_name(first) ||
                     (first.size() < place.before.size() && behind_version_word(first)) ||
                     leads_to_version(behind);
  return version.parts == 2 && named && !is_quantity(behind)
             ? write_version(version, place.rest, out)
             : 0;
}

}  // namespace qanat
