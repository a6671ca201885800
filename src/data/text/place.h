// A place in folded text, seen from both sides: what the readers of numbers and words decide by.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace qanat {

struct Place {
  std::string_view before;  // everything up to here
  std::string_view rest;    // from here on
};

// The ASCII letters `text` starts with.
std::string_view leading_letters(std::string_view text);

// The last ASCII word of `before`, seen through spaces and one full stop; empty when something
// else stands between, or it is longer than any word that matters (24 letters).
std::string_view word_before(std::string_view before);

std::string_view skip_spaces(std::string_view text);

bool ends_in_digit(std::string_view text);
bool ends_in_letter(std::string_view text);  // ASCII
bool starts_with_digit(std::string_view text);
bool starts_with_letter(std::string_view text);  // ASCII

// The bytes of a hyphen or en dash: what ranges are written with. 0 when there is none.
std::size_t leading_dash(std::string_view text);
std::size_t trailing_dash(std::string_view before);

// Nothing, a space or an opening bracket: a sign may stand here.
bool ends_at_boundary(std::string_view before);

std::string ascii_lower(std::string_view text);
bool equals_ignoring_case(std::string_view text, std::string_view lower);

}  // namespace qanat
