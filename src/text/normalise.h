// Text as it is read aloud, ready for the tokenizer.
#pragma once

#include <string>
#include <string_view>

#include "base/language.h"

namespace qanat {

// Raised whenever normalise_text() gives something else for some text: precomputed tokens of
// another version are stale.
inline constexpr int kNormaliserVersion = 2;

// Numbers, signs and abbreviations become words, letters get one spelling, Latin text is lower
// case. English words in Persian text (and Persian ones in English text) are read by their own
// rules. Never throws; bytes that are not UTF-8 become U+FFFD. What has no reading stays as it is
// for Tokenizer::unknown_symbols() to report. Normalising twice changes nothing. Thread-safe.
std::string normalise_text(std::string_view utf8, Language language);

}  // namespace qanat
