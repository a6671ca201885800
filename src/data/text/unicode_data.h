// What the Unicode data say of a character.
#pragma once

#include <string>
#include <string_view>

namespace qanat {

// What reading aloud has to know of a character of any script.
enum class CharacterKind {
  letter,
  mark,         // sits on the letter before it
  space,        // of any width; line ends, tabs
  invisible,    // controls, direction marks, variation selectors
  punctuation,  // a pause or a tone of voice
  digit,        // of any script; fractions and Roman numerals too
  sign,         // currencies, mathematics, pictures; what Unicode does not know
};

CharacterKind kind_of(char32_t code_point);

// The characters it is a form of (compatibility decomposition); itself when there are none.
std::u32string decompose(char32_t code_point);

// Letters and their marks in one form (NFC), of well-formed UTF-8. The time grows with the square
// of the marks on one letter: bound those first.
std::string compose_marks(std::string_view utf8);

// One character for one; itself when it has no small form.
char32_t to_small(char32_t code_point);

// A space of any width.
bool is_space(char32_t code_point);

}  // namespace qanat
