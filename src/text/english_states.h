// States of the USA as their addresses write them: "Austin, TX", "Boston, MA 02115".
#pragma once

#include <cstddef>
#include <string_view>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Reads `word`, the letters at `place`, if it is a state behind the name of a town, with the ZIP
// code behind it. The bytes taken, or 0.
std::size_t read_english_state(const Place& place, std::string_view word, WordWriter& out);

}  // namespace qanat
