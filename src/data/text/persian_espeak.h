// Persian words as espeak-ng has to be given them, so that it says what a reader would.
#pragma once

#include <string>
#include <string_view>

namespace qanat {

// Raised whenever espeak_spelling() gives something else for some text: phonemes of before are
// stale.
inline constexpr int kEspeakSpellingVersion = 1;

// Words of one language, spaces between them. Names of units that espeak-ng misreads get vowels or
// parts it reads right; a shadda stands before its vowel, because behind it, the order of NFC, it
// is named instead of spoken.
std::string espeak_spelling(std::string_view words);

}  // namespace qanat
