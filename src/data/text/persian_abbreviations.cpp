#include <array>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/persian_readers.h"

namespace qanat {
namespace {

using std::string_view;

// Where a short form counts as one: between anything but letters, with the full stop behind it; or
// only in front of a number, where the full stop may be missing.
enum class ShortFormPlace { apart, before_number };

struct ShortForm {
  string_view written;
  string_view words;
  ShortFormPlace place;
};

constexpr std::array kShortForms = {
#include "text/persian_short_forms_rows.inc"
};

// A word of its own.
constexpr string_view kShortWord = "الخ";
constexpr string_view kLongForm = "الی آخر";

constexpr std::size_t kMaxSpelledLetters = 3;  // of one name of a letter: «وای»

bool is_ascii(char byte) {
  return static_cast<unsigned char>(byte) < 0x80;
}

// The length of `written` at the start of `text`, with a space allowed beside its marks; 0 when it
// does not stand there.
std::size_t match_loosely(string_view text, string_view written) {
  std::size_t at = 0;
  for (const char byte : written) {
    const bool behind_mark = at > 0 && is_ascii(text[at - 1]);
    at += (is_ascii(byte) || behind_mark) && text.substr(at).starts_with(' ') ? 1 : 0;
    if (at >= text.size() || text[at] != byte) {
      return 0;
    }
    ++at;
  }
  return at;
}

std::size_t read_short_form(const Place& place, WordWriter& out) {
  const bool bracket = place.rest[0] == '(';
  for (const ShortForm& one : kShortForms) {
    const std::size_t length = match_loosely(place.rest, one.written);
    const string_view after = place.rest.substr(length);
    if (one.place == ShortFormPlace::apart && length > 0 &&
        (bracket || !starts_with_persian_letter(after))) {
      const bool stop = !bracket && after.starts_with('.') && after.size() > 1;
      out.words(one.words);
      return length + (stop ? 1 : 0);
    }
  }
  return 0;
}

std::size_t read_before_number(const Place& place, WordWriter& out) {
  for (const ShortForm& one : kShortForms) {
    if (one.place != ShortFormPlace::before_number || !place.rest.starts_with(one.written)) {
      continue;
    }
    const string_view after = place.rest.substr(one.written.size());
    const std::size_t mark = after.starts_with('.') || after.starts_with(':') ? 1 : 0;
    const string_view next = after.substr(mark);
    if (starts_with_digit(skip_spaces(next.substr(0, 8))) &&
        (mark > 0 || next.starts_with(' ') || one.written == "ص" || one.written == "صص")) {
      out.words(one.words);
      return one.written.size() + mark;
    }
  }
  return 0;
}

std::size_t read_short_word(const Place& place, WordWriter& out) {
  if (!place.rest.starts_with(kShortWord) ||
      starts_with_persian_letter(place.rest.substr(kShortWord.size()))) {
    return 0;
  }
  out.words(kLongForm);
  return kShortWord.size();
}

// The Persian letters `text` starts with, at most four.
std::size_t letters_length(string_view text, std::size_t& letters) {
  std::size_t at = 0;
  letters = 0;
  while (at < text.size() && letters <= kMaxSpelledLetters) {
    std::size_t end = at;
    if (!is_arabic_letter(next_code_point(text, end))) {
      break;
    }
    at = end;
    ++letters;
  }
  return at;
}

// بی.بی.سی: three or more names of letters.
std::size_t read_spelled(const Place& place, WordWriter& out) {
  std::string words;
  std::size_t at = 0;
  std::size_t parts = 0;
  while (true) {
    std::size_t letters = 0;
    const std::size_t length = letters_length(place.rest.substr(at), letters);
    if (letters < 2 || letters > kMaxSpelledLetters) {
      return 0;
    }
    words += (parts > 0 ? " " : "") + std::string(place.rest.substr(at, length));
    at += length;
    ++parts;
    if (!place.rest.substr(at).starts_with('.') ||
        !starts_with_persian_letter(place.rest.substr(at + 1))) {
      break;
    }
    ++at;
  }
  if (parts < 3) {
    return 0;
  }
  out.words(words);
  return at;
}

}  // namespace

// All but one are short and stand before a mark or a number.
bool may_be_persian_abbreviation(string_view word, string_view after) {
  constexpr std::size_t kLongestWord = kMaxSpelledLetters * 2;  // bytes
  constexpr std::size_t kReach = 8;
  if (word.size() > kLongestWord) {
    return false;
  }
  const string_view next = skip_spaces(after.substr(0, kReach));
  return starts_with_digit(next) || next.starts_with('.') || next.starts_with(':') ||
         word == kShortWord;
}

std::size_t read_persian_abbreviation(const Place& place, WordWriter& out) {
  if (place.rest[0] == '(') {
    return read_short_form(place, out);
  }
  const bool inside_word = ends_with_persian_letter(place.before) && !out.after_words();
  if (!starts_with_persian_letter(place.rest) || inside_word) {
    return 0;
  }
  constexpr std::array kReaders = {
      read_short_form, read_before_number, read_short_word, read_spelled};
  return read_first(kReaders, place, out);
}

}  // namespace qanat
