// One value as it was written, and its reading as the types a field can have.
//
// Nothing when it cannot be read so; who knows the field says what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace qanat {

struct Scalar {
  std::string text;
  bool quoted = false;  // "16" in quotes is text, not a number

  bool operator==(const Scalar&) const = default;
};

std::optional<bool> parse_bool(const Scalar& scalar);             // true false yes no on off
std::optional<std::int64_t> parse_integer(const Scalar& scalar);  // 16, 1e3; not 1.5
std::optional<double> parse_number(const Scalar& scalar);         // 1e-4, .5, 16; finite
std::optional<std::string> parse_string(const Scalar& scalar);    // UTF-8 without NUL

// Whether it stands for "no value": empty, auto, none, null, ~, without quotes.
bool is_unset(const Scalar& scalar);

}  // namespace qanat
