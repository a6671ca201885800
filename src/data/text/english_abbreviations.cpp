#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "text/characters.h"
#include "text/english_numbers.h"
#include "text/english_readers.h"
#include "text/word_index.h"

namespace qanat {
namespace {

using std::string_view;

// Where an abbreviation counts as one; english_abbreviations.tsv has an example of each. A capital
// first letter is asked for wherever the lower-case form is an English word or the end of a
// sentence would look the same.
enum class Rule {
  title,
  title_with_stop,
  capital_with_stop,
  anywhere,
  before_number,
  street,
  between_names,
  behind_et,
};

struct Abbreviation {
  string_view written;  // lower case, without the full stop
  string_view words;
  Rule rule;
};

constexpr std::array kEnglishAbbreviations = {
#include "text/english_abbreviations_rows.inc"
};

constexpr WordIndex kAbbreviationIndex(kEnglishAbbreviations, &Abbreviation::written);

bool starts_with_capital(string_view text) {
  return !text.empty() && is_ascii_upper(text.front());
}

// "123 Main St. Dallas": a house number, a name, then the street.
bool follows_house_number(string_view before) {
  const string_view name = word_before(before);
  if (name.empty() || !starts_with_capital(name)) {
    return false;
  }
  const std::size_t name_begin = static_cast<std::size_t>(name.data() - before.data());
  string_view front = before.substr(0, name_begin);
  return front.ends_with(' ') && ends_in_digit(front.substr(0, front.size() - 1));
}

// "Mr. and Mrs. Brown": the name stands behind the second title.
bool shares_a_name(string_view next) {
  return next.starts_with("and Mrs") || next.starts_with("& Mrs") || next.starts_with("and Ms") ||
         next.starts_with("& Ms") || next.starts_with("and Dr") || next.starts_with("& Dr");
}

// "Wall St crash", "5th Ave, New York". Before a capital it takes the full stop or a house number
// to tell a street from a saint.
bool is_street(const Place& place, string_view next, bool stop) {
  if (stop) {
    return true;
  }
  string_view before = place.before.substr(0, place.before.size() - (place.before.empty() ? 0 : 1));
  const std::size_t space = before.rfind(' ');
  const string_view name = before.substr(space == string_view::npos ? 0 : space + 1);
  const bool named = place.before.ends_with(' ') && !name.empty() &&
                     (is_ascii_upper(name[0]) || starts_with_digit(name));
  return named && (!starts_with_capital(next) || follows_house_number(place.before));
}

// "Vol. III"
bool starts_with_numeral(string_view next) {
  const string_view letters = leading_letters(next);
  return !letters.empty() && letters.find_first_not_of("IVX") == string_view::npos;
}

// Whether `rule` holds for a word that is, or is not, followed by a full stop.
bool holds(Rule rule, const Place& place, string_view word, bool stop) {
  const string_view after = place.rest.substr(word.size() + (stop ? 1 : 0));
  const string_view next = skip_spaces(after.substr(0, 8));
  const bool capital = starts_with_capital(word);
  switch (rule) {
    case Rule::title:
    case Rule::title_with_stop:
      return capital && (stop || rule == Rule::title) && after.starts_with(' ') &&
             (starts_with_capital(next) || (stop && shares_a_name(next))) &&
             !follows_house_number(place.before);
    case Rule::capital_with_stop:
      return capital && stop;
    case Rule::anywhere:
      return true;
    case Rule::before_number:
      return stop && (starts_with_digit(next) || (word.size() > 1 && starts_with_numeral(next) &&
                                                  !equals_ignoring_case(word, "no")));
    case Rule::street:
      return capital && is_street(place, next, stop);
    case Rule::between_names:
      return stop && starts_with_capital(word_before(place.before)) && starts_with_capital(next);
    case Rule::behind_et:
      return stop && word_before(place.before) == "et";
  }
  return false;
}

bool keeps_stop(Rule rule, string_view after) {
  const bool before_name = rule == Rule::title || rule == Rule::title_with_stop ||
                           rule == Rule::before_number || rule == Rule::between_names;
  if (rule == Rule::behind_et) {
    return ends_text(after);  // the words stay as they are, and so must the full stop
  }
  return !before_name && ends_sentence(after);
}

// Some are words or initialisms of their own (", OK", ", MD") and need a ZIP code to be a state.
enum class StateCertainty { alone, with_zip };

struct UsState {
  string_view code;
  string_view name;
  StateCertainty certainty;
};

constexpr std::array kUsStates = {
#include "text/english_states_rows.inc"
};

constexpr std::size_t kZipDigits = 5;

// " 90210", " 90210-1234": the digits and how far they reach.
string_view leading_zip(string_view after) {
  if (!after.starts_with(' ')) {
    return {};
  }
  const string_view digits = leading_digits(after.substr(1, kZipDigits + 1));
  return digits.size() == kZipDigits ? digits : string_view{};
}

}  // namespace

bool ends_text(string_view after) {
  return after.substr(0, 8).find_first_not_of(" \"')") == string_view::npos && after.size() <= 8;
}

bool ends_sentence(string_view after) {
  if (ends_text(after)) {
    return true;
  }
  const std::size_t gap = std::min(after.find_first_not_of("\"')"), after.size());
  after = after.substr(gap);
  return after.starts_with(' ') && starts_with_capital(skip_spaces(after.substr(0, 8)));
}

bool is_english_abbreviation(string_view lower) {
  return kAbbreviationIndex.contains(lower);
}

std::size_t read_english_abbreviation(const Place& place, string_view word, WordWriter& out) {
  const bool stop = place.rest.substr(word.size()).starts_with('.');
  const std::string lower = ascii_lower(word);
  for (const std::uint16_t row : kAbbreviationIndex.candidates(lower)) {
    const Abbreviation& abbreviation = kEnglishAbbreviations[row];
    if (lower != abbreviation.written || !holds(abbreviation.rule, place, word, stop)) {
      continue;
    }
    const std::size_t length = word.size() + (stop ? 1 : 0);
    out.words(abbreviation.words);
    if (stop && keeps_stop(abbreviation.rule, place.rest.substr(length))) {
      out.symbol(".");
    }
    return length;
  }
  return 0;
}

std::size_t read_english_state(const Place& place, string_view word, WordWriter& out) {
  if (word.size() != 2 || !place.before.ends_with(", ")) {
    return 0;
  }
  const auto* state = std::ranges::find(kUsStates, word, &UsState::code);
  const string_view town = word_before(place.before.substr(0, place.before.size() - 2));
  if (state == kUsStates.end() || town.empty() || !is_ascii_upper(town.front())) {
    return 0;
  }
  const string_view zip = leading_zip(place.rest.substr(word.size()));
  if (zip.empty() && state->certainty == StateCertainty::with_zip) {
    return 0;
  }
  out.words(state->name);
  if (zip.empty()) {
    return word.size();
  }
  out.words(english_digits(zip));
  return word.size() + 1 + zip.size();
}

}  // namespace qanat
