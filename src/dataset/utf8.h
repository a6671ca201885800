// The little of UTF-8 that reading a manifest needs. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/language.h"

namespace qanat {

// Position of the first byte that is not part of a well-formed sequence (overlong forms,
// surrogates and values above U+10FFFF are not); nothing when all of it is UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);

// Code points of well-formed UTF-8.
std::size_t num_code_points(std::string_view utf8);

// The first `count` code points, with an ellipsis where some were left out.
std::string excerpt(std::string_view utf8, std::size_t count);

// `☃ U+2603`: a character one can see and look up, even one that prints as nothing or moves what
// stands around it. Of the first code point.
std::string describe_character(std::string_view utf8);

// Persian when the letters of the Arabic script outnumber the Latin ones, else English.
// `utf8` has to be well-formed.
Language language_by_script(std::string_view utf8);

}  // namespace qanat
