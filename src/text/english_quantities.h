// Numbers in English text and what belongs to them: currency, dates, times, fractions, units.
#pragma once

#include <cstddef>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Reads the quantity that starts at `place` and writes its words. The bytes it took, or 0 when
// none starts here. Reads every digit it is given.
std::size_t read_english_quantity(const Place& place, WordWriter& out);

}  // namespace qanat
