// Roman numerals in capitals: "XIV".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace qanat {

// The value of a numeral in its usual spelling, 1 to 3999; nothing for anything else ("IIX").
std::optional<std::uint64_t> roman_value(std::string_view numeral);

}  // namespace qanat
