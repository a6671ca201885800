#include "text/english_words.h"

#include <algorithm>
#include <array>
#include <string>

#include "text/characters.h"
#include "text/english_abbreviations.h"
#include "text/english_roman.h"

namespace qanat {
namespace {

using std::string_view;

constexpr string_view kVowels = "AEIOUY";

// Said letter by letter although they have vowels.
constexpr std::array<string_view, 27> kInitialisms = {
    "AI",  "API", "ATM", "CEO", "CIA", "CPU", "DNA", "EU",   "FAQ",
    "FBI", "GPU", "IBM", "ID",  "IQ",  "MIT", "NBA", "RNA",  "UAE",
    "UFO", "UK",  "UN",  "URL", "US",  "USA", "USB", "USSR", "UCLA"};

bool is_capitals(string_view word) {
  return std::ranges::all_of(word, is_ascii_upper);
}

bool is_initialism(string_view word) {
  if (word.size() < 2 || word.size() > 5 || !is_capitals(word)) {
    return false;
  }
  return word.find_first_of(kVowels) == string_view::npos ||
         std::ranges::find(kInitialisms, word) != kInitialisms.end();
}

std::string spaced_letters(string_view letters) {
  std::string words;
  for (const char letter : letters) {
    words += words.empty() ? "" : " ";
    words += to_ascii_lower(letter);
  }
  return words;
}

// The letters of "U.S.A." and how far they reach; a last letter may lack its full stop.
struct DottedLetters {
  std::string letters;
  std::size_t length = 0;
};

DottedLetters scan_dotted_letters(string_view rest) {
  DottedLetters dotted;
  while (dotted.letters.size() < 8 && starts_with_letter(rest.substr(dotted.length))) {
    const string_view here = rest.substr(dotted.length);
    const bool single = here.size() < 2 || !is_ascii_letter(here[1]);
    if (!single) {
      break;
    }
    const bool dot = here.size() >= 2 && here[1] == '.';
    if (!dot && (dotted.letters.empty() || starts_with_digit(here.substr(1)))) {
      break;
    }
    dotted.letters += here[0];
    dotted.length += dot ? 2 : 1;
    if (!dot) {
      break;
    }
  }
  return dotted;
}

std::size_t read_dotted_letters(const Place& place, WordWriter& out) {
  if (place.rest.starts_with("Ph.D")) {
    out.words("p h d");
    return place.rest.starts_with("Ph.D.") ? 5 : 4;
  }
  const DottedLetters dotted = scan_dotted_letters(place.rest);
  if (dotted.letters.size() < 2) {
    return 0;
  }
  const std::string lower = ascii_lower(dotted.letters);
  const string_view after = place.rest.substr(dotted.length);
  if (lower == "ie" || lower == "eg") {
    out.words(lower == "ie" ? "that is" : "for example");
    return dotted.length;
  }
  out.words(spaced_letters(dotted.letters));
  const bool half_day = lower == "am" || lower == "pm";
  const bool stops = place.rest[dotted.length - 1] == '.';
  if (stops && (half_day ? ends_sentence(after) : ends_text(after))) {
    out.symbol(".");
  }
  return dotted.length;
}

// "5 PM", "5am"
std::size_t read_half_day(const Place& place, string_view word, WordWriter& out) {
  const bool half_day = equals_ignoring_case(word, "am") || equals_ignoring_case(word, "pm");
  const string_view before =
      place.before.ends_with(' ') ? place.before.substr(0, place.before.size() - 1) : place.before;
  if (!half_day || !ends_in_digit(before)) {
    return 0;
  }
  out.words(spaced_letters(word));
  return word.size();
}

// "J. Smith", "J. D. Smith": the full stop is no pause. "I" alone is the pronoun.
std::size_t read_initial(const Place& place, string_view word, WordWriter& out) {
  if (word.size() != 1 || !is_ascii_upper(word[0]) || !place.rest.substr(1).starts_with(". ")) {
    return 0;
  }
  const string_view next = skip_spaces(place.rest.substr(2, 8));
  if (next.empty() || !is_ascii_upper(next[0])) {
    return 0;
  }
  const bool more_initials = next.size() > 1 && next[1] == '.';
  if (word == "I" && !more_initials) {
    return 0;
  }
  out.letters(ascii_lower(word));
  return 2;
}

}  // namespace

std::size_t read_english_word(const Place& place, Capitals capitals, WordWriter& out) {
  const bool inside_word = ends_in_letter(place.before) || place.before.ends_with('\'');
  const string_view word = leading_letters(place.rest);
  if (!inside_word) {
    if (const std::size_t length = read_dotted_letters(place, out); length > 0) {
      return length;
    }
    if (const std::size_t length = read_initial(place, word, out); length > 0) {
      return length;
    }
    if (const std::size_t length = read_english_abbreviation(place, word, out); length > 0) {
      return length;
    }
    if (const std::size_t length = read_english_roman(place, word, capitals, out); length > 0) {
      return length;
    }
    if (const std::size_t length = read_half_day(place, word, out); length > 0) {
      return length;
    }
  }
  if (!inside_word && capitals == Capitals::meaningful && is_initialism(word)) {
    out.words(spaced_letters(word));
  } else {
    out.letters(ascii_lower(word));
  }
  return word.size();
}

}  // namespace qanat
