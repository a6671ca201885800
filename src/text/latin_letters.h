// Latin letters with accents, and the plain ones they are read as.
#pragma once

#include <string_view>

namespace qanat {

// "é" gives "e", "Æ" gives "Ae", "b" gives "b"; empty when it is no Latin letter.
std::string_view latin_base_letters(char32_t code_point);

bool is_latin_letter(char32_t code_point);

}  // namespace qanat
