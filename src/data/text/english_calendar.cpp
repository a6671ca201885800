#include <algorithm>
#include <array>

#include "text/characters.h"
#include "text/english_readers.h"
#include "text/word_index.h"

namespace qanat {
namespace {

using std::string_view;

enum class CalendarKind {
  month,       // its short name is nothing else
  month_word,  // its short name is a word or a name, too: "Mar"
  day,
};

struct CalendarName {
  string_view full;  // lower case
  string_view brief;
  string_view other;  // a second short name, or empty
  CalendarKind kind;
};

constexpr std::array kCalendar = {
#include "text/english_calendar_rows.inc"
};

constexpr std::size_t kNamesOfEach = 3;

// All names of all rows; what has no third name has its first one again.
constexpr auto kCalendarWords = [] {
  std::array<string_view, kCalendar.size() * kNamesOfEach> words;
  for (std::size_t i = 0; i < kCalendar.size(); ++i) {
    const CalendarName& name = kCalendar[i];
    words[i * kNamesOfEach] = name.full;
    words[i * kNamesOfEach + 1] = name.brief;
    words[i * kNamesOfEach + 2] = name.other.empty() ? name.full : name.other;
  }
  return words;
}();
constexpr WordIndex kCalendarIndex(kCalendarWords);

// By its full or short name, with a capital.
const CalendarName* find_calendar_name(string_view word) {
  if (word.empty() || !is_ascii_upper(word.front())) {
    return nullptr;
  }
  const std::size_t found = kCalendarIndex.find(ascii_lower(word));
  return found == kCalendarWords.size() ? nullptr : &kCalendar[found / kNamesOfEach];
}

bool is_month_name(string_view word) {
  const CalendarName* name = find_calendar_name(word);
  return name != nullptr && name->kind != CalendarKind::day;
}

bool same_kind(const CalendarName* left, const CalendarName* right) {
  return left != nullptr && right != nullptr &&
         (left->kind == CalendarKind::day) == (right->kind == CalendarKind::day);
}

// "Mon-Fri", seen from either name.
bool stands_in_range(const Place& place, string_view word, const CalendarName* name) {
  const string_view after = place.rest.substr(word.size());
  if (const std::size_t dash = leading_dash(after); dash > 0) {
    return same_kind(name, find_calendar_name(leading_letters(after.substr(dash))));
  }
  const std::size_t dash = trailing_dash(place.before);
  const string_view before = place.before.substr(0, place.before.size() - dash);
  return dash > 0 && ends_in_letter(before) &&
         same_kind(find_calendar_name(word_before(before)), name);
}

// "3 Dec", "3rd Dec"
bool follows_day(string_view before) {
  if (!before.ends_with(' ')) {
    return false;
  }
  before.remove_suffix(1);
  const std::size_t suffix = std::min<std::size_t>(2, before.size());
  const string_view ending = before.substr(before.size() - suffix);
  const bool ordinal = ending == "st" || ending == "nd" || ending == "rd" || ending == "th";
  return ends_in_digit(ordinal ? before.substr(0, before.size() - 2) : before);
}

// ", June 3", " 3 June"
bool date_follows(string_view after) {
  after.remove_prefix(after.starts_with(',') ? 1 : 0);
  after = skip_spaces(after);
  const string_view day = leading_digits(after);
  if (!day.empty()) {
    after = skip_spaces(after.substr(day.size()));
  }
  return is_month_name(leading_letters(after));
}

bool is_short_for(const CalendarName& name, const Place& place, string_view after, bool stop) {
  const string_view next = skip_spaces(after.substr(0, 4));
  const bool number = starts_with_digit(next);
  switch (name.kind) {
    case CalendarKind::month:
      return stop || number || follows_day(place.before);
    case CalendarKind::month_word:
      return number || (stop && next.starts_with(',')) || follows_day(place.before);
    case CalendarKind::day:
      return (stop && (number || next.starts_with(','))) || date_follows(after.substr(0, 24));
  }
  return false;
}

}  // namespace

bool is_calendar_name(string_view lower) {
  return kCalendarIndex.contains(lower);
}

std::optional<int> english_month(string_view word) {
  const CalendarName* name = find_calendar_name(word);
  if (name == nullptr || name->kind == CalendarKind::day) {
    return std::nullopt;
  }
  return static_cast<int>(name - kCalendar.data()) + 1;
}

string_view english_month_name(int month) {
  return kCalendar[static_cast<std::size_t>(month - 1)].full;
}

std::size_t read_english_calendar_name(const Place& place, string_view word, WordWriter& out) {
  const CalendarName* name = find_calendar_name(word);
  if (name == nullptr || word.size() == name->full.size()) {
    return 0;
  }
  const bool stop = place.rest.substr(word.size()).starts_with('.');
  const std::size_t length = word.size() + (stop ? 1 : 0);
  const string_view after = place.rest.substr(length);
  if (!stands_in_range(place, word, name) && !is_short_for(*name, place, after, stop)) {
    return 0;
  }
  out.words(name->full);
  if (stop && ends_sentence(after)) {
    out.symbol(".");
  }
  return length;
}

bool parts_calendar_names(string_view before, string_view after) {
  return ends_in_letter(before) && same_kind(find_calendar_name(word_before(before)),
                                             find_calendar_name(leading_letters(after)));
}

}  // namespace qanat
