// What kind of character a code point is, as far as reading aloud cares.
#pragma once

#include <cstdint>
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
constexpr std::optional<int> digit_value(char32_t code_point) {
  for (const char32_t zero : {U'0', U'\u06F0', U'\u0660', U'\uFF10', U'\u2080'}) {
    if (code_point - zero < 10) {  // below zero it wraps around
      return static_cast<int>(code_point - zero);
    }
  }
  return std::nullopt;
}

// A letter of the Persian alphabet in its usual code point: the spelling that nothing changes.
constexpr bool is_plain_persian_letter(char32_t code_point) {
  if (code_point >= 0x0621 && code_point <= 0x0648) {
    constexpr std::uint64_t kOthers =  // of these forty: not letters, or Arabic forms
        1ULL << 0x04 | 1ULL << 0x08 | 0x3FULL << 0x1A | 1ULL << 0x22;
    return (kOthers >> (code_point - 0x0621) & 1) == 0;
  }
  return code_point == 0x067E || code_point == 0x0686 || code_point == 0x0698 ||
         code_point == 0x06A9 || code_point == 0x06AF || code_point == 0x06CC;
}
static_assert(is_plain_persian_letter(U'م') && is_plain_persian_letter(U'آ') &&
              is_plain_persian_letter(U'غ') && is_plain_persian_letter(U'ف') &&
              !is_plain_persian_letter(0x0625) && !is_plain_persian_letter(0x0629) &&
              !is_plain_persian_letter(0x063B) && !is_plain_persian_letter(0x0640) &&
              !is_plain_persian_letter(0x0643));

// An Arabic letter or vowel mark that is not one of the above.
bool is_other_arabic_letter(char32_t code_point);

// Letters and vowel marks of the Arabic script, presentation forms included, kashida not.
inline bool is_arabic_letter(char32_t code_point) {
  return is_plain_persian_letter(code_point) ||
         (code_point >= 0x0620 && is_other_arabic_letter(code_point));
}

// Marks that sit on the letter before them, of any script, and what joins such marks.
bool is_combining_mark(char32_t code_point);

}  // namespace qanat
