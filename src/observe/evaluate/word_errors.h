// Word errors of a transcript: how many words are wrong, missing or too many. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/language_tag.h"

namespace qanat {

// Normalised as for training (numbers in words, one spelling), then letters and digits only; an
// apostrophe stays inside a word.
std::vector<std::string> spoken_words(std::string_view text, const LanguageTag& language);

struct WordErrors {
  std::size_t errors = 0;  // of the fewest edits
  std::size_t words = 0;   // of the text that was to be spoken

  bool operator==(const WordErrors&) const = default;
};

WordErrors count_word_errors(const std::vector<std::string>& expected,
                             const std::vector<std::string>& heard);

}  // namespace qanat
