// What the Unicode data say of a character.
#pragma once

#include <string>

namespace qanat {

// The characters it is a form of (compatibility decomposition); itself when there are none.
std::u32string decompose(char32_t code_point);

// A space of any width.
bool is_space(char32_t code_point);

}  // namespace qanat
