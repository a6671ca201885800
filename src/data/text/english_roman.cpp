#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "text/characters.h"
#include "text/english_numbers.h"
#include "text/english_readers.h"
#include "text/roman_numerals.h"
#include "text/word_list.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::array kCounted = {
#include "text/english_counted_rows.inc"
};

constexpr std::array kRulers = {
#include "text/english_rulers_rows.inc"
};

constexpr std::array kThrones =
    word_list<12>("Czar Emperor Empress Kaiser King Pharaoh Pope Prince Queen Shah Sultan Tsar");

// What the pronoun is followed by, when it stands behind a name: "as Charles I think".
constexpr std::array<string_view, 10> kPronounVerbs = {
    "am", "believe", "guess", "hope", "know", "mean", "say", "suppose", "think", "want"};

template <std::size_t N>
bool is_one_of(const std::array<string_view, N>& list, string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_ruler(string_view before) {
  const string_view name = word_before(before);
  if (name.empty() || !before.ends_with(' ')) {
    return false;
  }
  const string_view front = before.substr(0, static_cast<std::size_t>(name.data() - before.data()));
  const bool named_ruler = is_ascii_upper(name[0]) && is_one_of(kThrones, word_before(front));
  return named_ruler || is_one_of(kRulers, name);
}

// A single letter counts only where it hardly stands for itself: "Part V", not "Part C".
bool may_count(string_view word) {
  return word.size() > 1 || string_view("IVX").find(word[0]) != string_view::npos;
}

// A surname, not a king.
bool is_malcolm_x(string_view before, string_view word) {
  return word == "X" && word_before(before) == "Malcolm";
}

bool is_pronoun(string_view word, string_view after) {
  return word == "I" && after.starts_with(' ') &&
         is_one_of(kPronounVerbs, leading_letters(after.substr(1, 16)));
}

// "Charles I. was", "Charles I., who": this full stop ends no sentence.
std::size_t numeral_stop(string_view after) {
  if (!after.starts_with('.')) {
    return 0;
  }
  const string_view next = skip_spaces(after.substr(1, 8));
  return !next.empty() && (is_ascii_lower(next[0]) || next[0] == ',' || next[0] == ';') ? 1 : 0;
}

bool is_small(string_view word) {
  return word.size() >= 2 && word.find_first_not_of("IVX") == string_view::npos;
}

// "Rocky II", "(III)", "IV. The Return": a numeral without a word that announces it.
bool stands_as_numeral(string_view before, string_view word) {
  const string_view name = word_before(before);
  const bool behind_name = before.ends_with(' ') && !name.empty() && is_ascii_upper(name[0]);
  return is_small(word) && (behind_name || before.empty() || before.ends_with('('));
}

}  // namespace

std::size_t read_english_roman(const Place& place,
                               string_view word,
                               Capitals capitals,
                               WordWriter& out) {
  const std::optional<std::uint64_t> value = roman_value(word);
  const string_view after = place.rest.substr(word.size());
  if (!value || starts_with_digit(after)) {
    return 0;
  }
  const std::string announced = ascii_lower(word_before(place.before));
  if (place.before.ends_with(' ') && may_count(word) && is_one_of(kCounted, announced)) {
    out.words(english_cardinal(*value));
    return word.size();
  }
  if (is_ruler(place.before) && !is_pronoun(word, after) && !is_malcolm_x(place.before, word)) {
    out.words("the " + english_ordinal(*value));
    return word.size() + numeral_stop(after);
  }
  if (word.size() > 1 && skip_spaces(after.substr(0, 12)).starts_with("centur")) {
    out.words(english_ordinal(*value));
    return word.size();
  }
  const bool year = word.size() >= 4 && *value >= 1000;
  if (capitals == Capitals::meaningful && (year || stands_as_numeral(place.before, word))) {
    out.words(year ? english_year(*value) : english_cardinal(*value));
    return word.size();
  }
  return 0;
}

}  // namespace qanat
