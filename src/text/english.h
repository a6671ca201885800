// English text as it is read aloud.
#pragma once

#include <string>
#include <string_view>

namespace qanat {

// Lower case, numbers and abbreviations as words, no digits. `folded` is what fold_characters()
// makes; letters that are not Latin pass through. Spacing is left to tidy_text().
std::string expand_english(std::string_view folded);

}  // namespace qanat
