// What kind of character a code point is, as far as reading aloud cares.
#pragma once

#include <optional>

namespace qanat {

constexpr bool is_ascii_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

constexpr bool is_ascii_upper(char byte) {
  return byte >= 'A' && byte <= 'Z';
}

constexpr bool is_ascii_lower(char byte) {
  return byte >= 'a' && byte <= 'z';
}

constexpr bool is_ascii_letter(char byte) {
  return is_ascii_upper(byte) || is_ascii_lower(byte);
}

constexpr char to_ascii_lower(char byte) {
  return is_ascii_upper(byte) ? static_cast<char>(byte - 'A' + 'a') : byte;
}

// ASCII, Persian, Arabic-Indic, full-width and subscript digits.
std::optional<int> digit_value(char32_t code_point);

// Letters and vowel marks of the Arabic script, presentation forms included, kashida not.
bool is_arabic_letter(char32_t code_point);

// Marks that sit on the letter before them, of any script, and what joins such marks.
bool is_combining_mark(char32_t code_point);

}  // namespace qanat
