// Persian letters in UTF-8 text.
#pragma once

#include <string_view>

namespace qanat {

inline constexpr std::string_view kZwnjBytes = "\u200C";

bool starts_with_persian_letter(std::string_view text);
bool ends_with_persian_letter(std::string_view text);

std::string_view leading_persian_letters(std::string_view text);

}  // namespace qanat
