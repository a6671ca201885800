// What kind of character a code point is, as far as reading aloud cares.
#pragma once

#include <optional>

namespace qanat {

// ASCII, Persian, Arabic-Indic, full-width and subscript digits.
std::optional<int> digit_value(char32_t code_point);

bool is_ascii_digit(char byte);
bool is_ascii_letter(char byte);
bool is_ascii_upper(char byte);
bool is_ascii_lower(char byte);
char to_ascii_lower(char byte);

// Letters and vowel marks of the Arabic script, presentation forms included, kashida not.
bool is_arabic_letter(char32_t code_point);

}  // namespace qanat
