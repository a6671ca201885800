// Text of a language without a reader of its own: its letters as they are, in one form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/language_tag.h"
#include "base/result.h"

namespace qanat {

// Raised whenever normalise_any() or tidy_line() gives something else for some text.
inline constexpr int kAnyLanguageVersion = 1;

// Small letters and marks in one form (NFC), single spaces, punctuation of every script as that of
// the symbol tables where one is the same pause. Fails when there are digits or signs: only a
// reader knows their words. Nothing else is left out than what cannot be seen.
Result<std::string> normalise_any(std::string_view utf8, const LanguageTag& language);

// One line as espeak-ng and other programs take it: NFC, single spaces, nothing invisible; digits,
// signs and capitals stay. Fails when a letter carries more marks than any script writes.
Result<std::string> tidy_line(std::string_view utf8);

// Words in small letters, without marks of punctuation and signs; digits stay. Of scripts without
// spaces between words every letter is one.
std::vector<std::string> split_words(std::string_view utf8, const LanguageTag& language);

// Whether there is a letter of any script.
bool has_any_letter(std::string_view utf8);

}  // namespace qanat
