// Persian text as it is read aloud.
#pragma once

#include <string>
#include <string_view>

#include "text/normalise.h"

namespace qanat {

// Numbers, signs and abbreviations as words, no digits, Persian punctuation. `folded` is what
// fold_characters() makes. Rules look at `before`, the Latin words that it stands behind, but do
// not read it. Spacing and ZWNJ are left to tidy_text().
std::string expand_persian(std::string_view folded,
                           NumberVowels vowels,
                           std::string_view before = {});

// One spelling for what Persian writers spell in several ways:
// خانه‌ی, خانه ی and خانهٔ;
// میروم, می روم and می‌روم;
// کتابها, کتاب ها and کتاب‌ها.
// `text` is tidy. Only what is safe without a dictionary changes; words that merely look alike
// (میدان, تنها) stay. Doing it twice changes nothing.
std::string unify_persian_spelling(std::string_view text);

// Adds the kasra of the ezafe, the unwritten vowel that ties words together, to tidy text where no
// grammar is needed to know it: in fixed compounds (وزارتِ امورِ خارجه) and behind words that
// always carry it (بدونِ). Most of the ezafe of a text is not found. Doing it twice changes nothing.
std::string mark_ezafe(std::string_view text);

}  // namespace qanat
