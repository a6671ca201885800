// Which language a text is in, and how to show one of its characters. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/language.h"

namespace qanat {

// `☃ U+2603`: a character one can see and look up, even one that prints as nothing or moves what
// stands around it. Of the first code point.
std::string describe_character(std::string_view utf8);

// Persian when the letters of the Arabic script outnumber the Latin ones, else English.
// `utf8` has to be well-formed.
Language language_by_script(std::string_view utf8);

}  // namespace qanat
