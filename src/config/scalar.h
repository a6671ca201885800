// One value as it was written, and its reading as the types a field can have.
//
// Failures say what is wrong with the text; what was expected is added by who knows the field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace qanat {

struct Scalar {
  std::string text;
  bool quoted = false;  // "16" in quotes is text, not a number

  bool operator==(const Scalar&) const = default;
};

Result<bool> parse_bool(const Scalar& scalar);             // true false yes no on off
Result<std::int64_t> parse_integer(const Scalar& scalar);  // 16, 1e3; not 1.5
Result<double> parse_number(const Scalar& scalar);         // 1e-4, .5, 16; finite
Result<std::string> parse_string(const Scalar& scalar);    // UTF-8 without NUL

// Whether it stands for "no value": empty, auto, none, null, ~, without quotes.
bool is_unset(const Scalar& scalar);

bool is_utf8(std::string_view text);

}  // namespace qanat
