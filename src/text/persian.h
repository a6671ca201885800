// Persian text as it is read aloud.
#pragma once

#include <string>
#include <string_view>

#include "text/normalise.h"

namespace qanat {

// Numbers, signs and abbreviations as words, no digits, Persian punctuation. `folded` is what
// fold_characters() makes. Spacing and ZWNJ are left to tidy_text().
std::string expand_persian(std::string_view folded, NumberVowels vowels);

}  // namespace qanat
