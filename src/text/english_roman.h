// Roman numerals in English text: "Charles I", "Chapter IV", "World War II".
#pragma once

#include <cstddef>
#include <string_view>

#include "text/english_words.h"
#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Reads `word`, the letters at `place`, if what stands around it makes it a numeral. The bytes it
// took, or 0.
std::size_t read_english_roman(const Place& place,
                               std::string_view word,
                               Capitals capitals,
                               WordWriter& out);

}  // namespace qanat
