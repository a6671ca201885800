// Latin letters with accents, and the plain ones they are read as.
#pragma once

#include <string>

#include "text/characters.h"

namespace qanat {

// "é" gives "e", "Æ" gives "Ae", "b" gives "b"; empty when it is no Latin letter.
std::string latin_base_letters(char32_t code_point);

inline bool is_latin_letter(char32_t code_point) {
  if (code_point < 0x80) {
    return is_ascii_letter(static_cast<char>(code_point));
  }
  const bool arabic = code_point >= 0x0600 && code_point < 0x0700;  // spares Persian the search
  return !arabic && !latin_base_letters(code_point).empty();
}

}  // namespace qanat
