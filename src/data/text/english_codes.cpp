#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "text/characters.h"
#include "text/english_numbers.h"
#include "text/english_readers.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::size_t kMaxGroupDigits = 8;
constexpr std::size_t kMinCodeDigits = 7;  // fewer: a range or a score

// What is said in pairs of digits: "Flight 370" is three seventy.
constexpr std::array kDesignated = {
#include "text/english_designated_rows.inc"
};

constexpr std::array<string_view, 7> kCalled = {
    "call", "called", "calling", "calls", "dial", "dialed", "dialing"};

constexpr std::array kVersioned = {
#include "text/english_versioned_rows.inc"
};

template <std::size_t N>
bool stands_behind(const std::array<string_view, N>& words, string_view before) {
  const string_view word = word_before(before);
  return !word.empty() && std::ranges::find(words, ascii_lower(word)) != words.end();
}

// Groups of digits with one kind of separator between them.
struct CodeGroups {
  DigitGroups groups;
  std::size_t length = 0;
};

CodeGroups scan_code_groups(string_view text, char separator) {
  CodeGroups scanned;
  while (!scanned.groups.full()) {
    const std::size_t begin = scanned.groups.empty() ? 0 : scanned.length + 1;
    if (begin > 0 && !text.substr(scanned.length).starts_with(separator)) {
      break;
    }
    const string_view group = leading_digits(text.substr(begin));
    if (group.empty()) {
      break;
    }
    scanned.groups.add(group);
    scanned.length = begin + group.size();
  }
  return scanned;
}

bool is_card(const DigitGroups& groups) {
  return groups.have_sizes({4, 4, 4, 4});
}

bool is_hyphenated_code(const DigitGroups& groups) {
  return groups.size() >= 3 && groups.num_digits(groups.size()) >= kMinCodeDigits &&
         std::ranges::all_of(groups,
                             [](string_view group) { return group.size() <= kMaxGroupDigits; });
}

std::string group_words(const DigitGroups& groups, string_view between) {
  std::string words;
  for (const string_view group : groups) {
    words += words.empty() ? "" : between;
    words += english_digits(group);
  }
  return words;
}

// "1-800-FLOWERS": the groups in front of the letters.
std::size_t read_lettered_phone(string_view rest, const CodeGroups& scanned, WordWriter& out) {
  const string_view after = rest.substr(scanned.length);
  const bool toll_free = scanned.groups.size() == 2 && scanned.groups[0] == "1" &&
                         scanned.groups[1].size() == 3 && scanned.groups[1][0] == '8';
  if (!toll_free || !after.starts_with('-') || after.size() < 2 || !is_ascii_upper(after[1])) {
    return 0;
  }
  out.words(group_words(scanned.groups, ", "));
  out.symbol(", ");
  return scanned.length + 1;
}

std::string version_part(string_view digits) {
  const bool count = digits.size() <= 4 && (digits.size() == 1 || digits.front() != '0');
  return count ? english_cardinal(*to_value(digits)) : english_digits(digits);
}

bool is_network_address(const DigitGroups& groups) {
  return groups.size() == 4 && std::ranges::all_of(groups, [](string_view group) {
           return group.size() <= 3 && *to_value(group) <= 255;
         });
}

// 101 "one oh one", 370 "three seventy", 400 "four hundred"
std::string designation_words(string_view digits) {
  const std::uint64_t value = *to_value(digits);
  const std::uint64_t rest = value % 100;
  const std::string hundreds = english_cardinal(value / 100);
  if (rest == 0) {
    return hundreds + " hundred";
  }
  return hundreds + (rest < 10 ? " oh " : " ") + english_cardinal(rest);
}

// "long", "of", "and": what follows inches that stand for themselves, unlike "a 55" TV".
bool measures(string_view next) {
  constexpr std::array<string_view, 9> kBehindInches = {
      "long", "wide", "tall", "high", "deep", "thick", "of", "and", "in"};
  return std::ranges::find(kBehindInches, leading_letters(next)) != kBehindInches.end();
}

constexpr std::size_t kQuoteReach = 256;  // bytes looked back for an opening quotation mark

bool inside_quotation(string_view before) {
  const string_view near = before.substr(before.size() - std::min(before.size(), kQuoteReach));
  bool inside = false;
  for (std::size_t at = 0; at < near.size(); ++at) {
    const bool inch_mark = !inside && at > 0 && is_ascii_digit(near[at - 1]);
    inside = near[at] == '"' && !inch_mark ? !inside : inside;
  }
  return inside;
}

}  // namespace

std::size_t read_english_digit_groups(const Place& place, WordWriter& out) {
  if (!starts_with_digit(place.rest) || ends_in_digit(place.before)) {
    return 0;
  }
  const CodeGroups hyphenated = scan_code_groups(place.rest, '-');
  if (hyphenated.groups.size() == 2) {
    return read_lettered_phone(place.rest, hyphenated, out);
  }
  const bool code = is_card(hyphenated.groups) || is_hyphenated_code(hyphenated.groups);
  const CodeGroups scanned = code ? hyphenated : scan_code_groups(place.rest, ' ');
  const string_view after = place.rest.substr(scanned.length);
  if ((!code && !is_card(scanned.groups)) || starts_with_letter(after)) {
    return 0;
  }
  out.words(group_words(scanned.groups, ", "));
  return scanned.length;
}

std::size_t read_english_version(const Place& place, WordWriter& out) {
  const CodeGroups scanned = scan_code_groups(place.rest, '.');
  const bool named = stands_behind(kVersioned, place.before);
  if (scanned.groups.size() < (named ? 2U : 3U) || ends_in_digit(place.before)) {
    return 0;
  }
  if (!named && is_network_address(scanned.groups)) {
    out.words(group_words(scanned.groups, " dot "));
    return scanned.length;
  }
  std::string words;
  for (const string_view group : scanned.groups) {
    words += words.empty() ? "" : " point ";
    words += version_part(group);
  }
  out.words(words);
  return scanned.length;
}

std::size_t read_english_designation(const Place& place, WordWriter& out) {
  const string_view digits = leading_digits(place.rest.substr(0, 4));
  const string_view after = place.rest.substr(digits.size());
  const bool whole = !starts_with_letter(after) && !after.starts_with(',') &&
                     !(after.starts_with('.') && starts_with_digit(after.substr(1)));
  if (digits.size() != 3 || digits.front() == '0' || !place.before.ends_with(' ') || !whole) {
    return 0;
  }
  if (stands_behind(kDesignated, place.before)) {
    out.words(designation_words(digits));
    return digits.size();
  }
  const bool service = digits.ends_with("11") || digits == "988";
  if (service && stands_behind(kCalled, place.before)) {
    out.words(english_digits(digits));
    return digits.size();
  }
  return 0;
}

std::size_t read_english_height(const Place& place, WordWriter& out) {
  const string_view feet = leading_digits(place.rest.substr(0, 4));
  if (feet.empty() || feet.size() > 3 || ends_in_digit(place.before)) {
    return 0;
  }
  const string_view after = place.rest.substr(feet.size());
  if (after.starts_with('"') && !inside_quotation(place.before)) {
    const bool before_noun = after.size() > 2 && after[1] == ' ' && is_ascii_letter(after[2]);
    const bool one = feet == "1" || (before_noun && !measures(after.substr(2)));
    out.words(english_cardinal(*to_value(feet)) + (one ? " inch" : " inches"));
    return feet.size() + 1;
  }
  const string_view inches = after.starts_with('\'') ? leading_digits(after.substr(1, 3)) : "";
  if (inches.empty() || inches.size() > 2 || *to_value(inches) > 11) {
    return 0;
  }
  std::size_t length = feet.size() + 1 + inches.size();
  const string_view mark = place.rest.substr(length);
  length += mark.starts_with("''") ? 2 : mark.starts_with('"') ? 1 : 0;
  out.words(english_cardinal(*to_value(feet)) + " foot " + english_cardinal(*to_value(inches)));
  return length;
}

}  // namespace qanat
