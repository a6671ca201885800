#include <algorithm>
#include <array>
#include <string>

#include "text/characters.h"
#include "text/english_readers.h"
#include "text/word_index.h"

namespace qanat {
namespace {

using std::string_view;

constexpr string_view kVowels = "AEIOUY";

// Said letter by letter although they have vowels.
constexpr std::array kInitialisms = {
#include "text/english_initialisms_rows.inc"
};
constexpr WordIndex kInitialismIndex(kInitialisms);

struct SpecialWord {
  string_view written;
  string_view words;
};

// Words whose capitals do not show how they are said.
constexpr std::array kSpecialWords = {SpecialWord{"iOS", "i o s"},
                                      SpecialWord{"macOS", "mac o s"},
                                      SpecialWord{"PhD", "p h d"},
                                      SpecialWord{"PhDs", "p h d's"},
                                      SpecialWord{"WWI", "world war one"},
                                      SpecialWord{"WWII", "world war two"}};
constexpr WordIndex kSpecialWordIndex(kSpecialWords, &SpecialWord::written);

// Short forms with a slash, in lower case.
constexpr std::array kSlashWords = {SpecialWord{"w/o", "without"},
                                    SpecialWord{"w/", "with"},
                                    SpecialWord{"c/o", "care of"},
                                    SpecialWord{"b/c", "because"}};

bool is_capitals(string_view word) {
  return std::ranges::all_of(word, is_ascii_upper);
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

// "AT&T", "R&B": capitals on both sides of the sign.
bool stands_beside_ampersand(const Place& place, string_view word) {
  if (word.size() > 3 || !is_capitals(word)) {
    return false;
  }
  const string_view before = place.before;
  const string_view after = place.rest.substr(word.size());
  const bool behind =
      before.size() >= 2 && before.back() == '&' && is_ascii_upper(before[before.size() - 2]);
  return behind || (after.size() >= 2 && after[0] == '&' && is_ascii_upper(after[1]));
}

// "report.pdf", "Node.js": an ending without a vowel.
bool is_file_ending(string_view before, string_view word) {
  const bool dotted =
      before.size() >= 2 && before.back() == '.' && before[before.size() - 2] != ' ';
  return dotted && word.size() >= 2 && word.size() <= 4 &&
         std::ranges::all_of(word, is_ascii_lower) &&
         word.find_first_of("aeiouy") == string_view::npos;
}

std::size_t read_slash_word(const Place& place, WordWriter& out) {
  if (!ends_at_boundary(place.before)) {
    return 0;
  }
  for (const SpecialWord& slash : kSlashWords) {
    const string_view after = place.rest.substr(std::min(slash.written.size(), place.rest.size()));
    const bool whole = slash.written.ends_with('/') || !starts_with_letter(after);
    if (place.rest.starts_with(slash.written) && whole) {
      out.words(slash.words);
      return slash.written.size();
    }
  }
  return 0;
}

// "2x4", "5 x 7".
std::size_t read_by(const Place& place, string_view word, WordWriter& out) {
  if (word != "x") {
    return 0;
  }
  const bool spaced = place.before.ends_with(' ') && place.rest.substr(1).starts_with(' ');
  const string_view before =
      spaced ? place.before.substr(0, place.before.size() - 1) : place.before;
  if (!ends_in_digit(before) || !starts_with_digit(place.rest.substr(spaced ? 2 : 1))) {
    return 0;
  }
  out.words("by");
  return 1;
}

// "v2.0"
std::size_t read_version_letter(const Place& place, string_view word, WordWriter& out) {
  if (word != "v" || !ends_at_boundary(place.before) || !starts_with_digit(place.rest.substr(1))) {
    return 0;
  }
  out.words("version");
  return 1;
}

// Everything that is not said as it is written, but what capitals show.
std::size_t read_special_word(const Place& place,
                              string_view word,
                              Capitals capitals,
                              WordWriter& out) {
  if (const std::size_t row = kSpecialWordIndex.find(word); row < kSpecialWords.size()) {
    out.words(kSpecialWords[row].words);
    return word.size();
  }
  std::size_t length = read_slash_word(place, out);
  length = length > 0 ? length : read_dotted_letters(place, out);
  length = length > 0 ? length : read_initial(place, word, out);
  length = length > 0 ? length : read_english_calendar_name(place, word, out);
  length = length > 0 ? length : read_english_abbreviation(place, word, out);
  length = length > 0 ? length : read_english_state(place, word, out);
  length = length > 0 ? length : read_english_roman(place, word, capitals, out);
  length = length > 0 ? length : read_half_day(place, word, out);
  length = length > 0 ? length : read_by(place, word, out);
  return length > 0 ? length : read_version_letter(place, word, out);
}

// Neither part of an address or a short form with a mark, nor said otherwise because of what comes
// before: what a plain word may stand behind and before.
bool begins_plain_word(string_view before) {
  return before.empty() || string_view(" (\"'").find(before.back()) != string_view::npos;
}

bool ends_plain_word(string_view after) {
  if (after.empty() || static_cast<unsigned char>(after[0]) >= 0x80 ||
      string_view(" ,;!)\"'").find(after[0]) != string_view::npos) {
    return true;
  }
  const bool stop = string_view(".:?").find(after[0]) != string_view::npos;
  return stop && (after.size() == 1 || after[1] == ' ');
}

// What may stand for another word, here or elsewhere: an abbreviation, "Dec", "5 pm".
bool is_short_form(string_view word) {
  constexpr std::size_t kLongestShortForm = 6;
  if (word.size() > kLongestShortForm) {
    return false;
  }
  const std::string lower = ascii_lower(word);
  return lower == "am" || lower == "pm" || is_english_abbreviation(lower) ||
         (is_ascii_upper(word[0]) && is_calendar_name(lower));
}

// How long the plain word is that `text` starts with: small letters, perhaps after a capital,
// that no rule is about. 0 when it may be something else.
std::size_t plain_word_length(string_view text) {
  if (!starts_with_letter(text)) {
    return 0;
  }
  std::size_t length = 1;
  while (length < text.size() && is_ascii_lower(text[length])) {
    ++length;
  }
  const bool plain = length == 1 ? text[0] == 'a' : !is_short_form(text.substr(0, length));
  return plain && ends_plain_word(text.substr(length)) ? length : 0;
}

}  // namespace

bool is_initialism(string_view word) {
  if (word.size() < 2 || word.size() > 5 || !is_capitals(word)) {
    return false;
  }
  return word.find_first_of(kVowels) == string_view::npos || kInitialismIndex.contains(word);
}

std::string spaced_letters(string_view letters) {
  std::string words;
  for (const char letter : letters) {
    words += words.empty() ? "" : " ";
    words += to_ascii_lower(letter);
  }
  return words;
}

std::size_t read_plain_english_words(const Place& place, WordWriter& out) {
  if (!begins_plain_word(place.before)) {
    return 0;
  }
  std::size_t at = 0;
  while (const std::size_t length = plain_word_length(place.rest.substr(at))) {
    const char first = to_ascii_lower(place.rest[at]);
    out.letters({&first, 1});
    out.letters(place.rest.substr(at + 1, length - 1));
    at += length;
    if (place.rest.substr(at, 1) != " ") {
      break;
    }
    out.symbol(" ");
    ++at;
  }
  return at;
}

std::size_t read_english_word(const Place& place, Capitals capitals, WordWriter& out) {
  const bool inside_word =
      (ends_in_letter(place.before) && !out.after_words()) || place.before.ends_with('\'');
  const string_view word = leading_letters(place.rest);
  if (inside_word) {
    out.letters(ascii_lower(word));
    return word.size();
  }
  if (const std::size_t length = read_special_word(place, word, capitals, out); length > 0) {
    return length;
  }
  const string_view singular = word.substr(0, word.size() - 1);
  const bool capitals_tell = capitals != Capitals::everywhere;
  if (is_file_ending(place.before, word) ||
      (capitals_tell && (is_initialism(word) || stands_beside_ampersand(place, word)))) {
    out.words(spaced_letters(word));
  } else if (capitals_tell && word.ends_with('s') && is_initialism(singular)) {
    out.words(spaced_letters(singular) + "'s");
  } else {
    out.letters(ascii_lower(word));
  }
  return word.size();
}

}  // namespace qanat
