// "Mr.", "St.", "etc.", "No. 5".
#pragma once

#include <cstddef>
#include <string_view>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Whether a full stop right before `after` also ends the text, or the sentence.
bool ends_text(std::string_view after);
bool ends_sentence(std::string_view after);

// One that some context makes an abbreviation; without its full stop.
bool is_english_abbreviation(std::string_view lower);

// Reads `word`, the letters at `place`, if it is an abbreviation there. The bytes it took, the
// full stop included, or 0.
std::size_t read_english_abbreviation(const Place& place, std::string_view word, WordWriter& out);

}  // namespace qanat
