// Numbers in Persian text and what belongs to them: currency, dates, times, fractions, units.
#pragma once

#include <cstddef>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Reads the quantity that starts at `place` and writes its words. The bytes it took, or 0 when
// none starts here. Reads every digit it is given.
//
// A slash between two numbers is a decimal mark, as Persian writers use it (۱۷/۵), except in
// dates, times, prices in groups of three, marks out of ten, and in the fractions people write:
// one over something, 2/3 and 3/4, unless a unit or a magnitude follows (۱/۵ میلیون).
std::size_t read_persian_quantity(const Place& place, WordWriter& out);

}  // namespace qanat
