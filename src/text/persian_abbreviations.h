// Short forms in Persian text: ق.ظ, ه.ش, (ع), ص ۱۲, بی.بی.سی.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Whether the whole word, followed by `after`, is worth a closer look: most words are not.
bool may_be_persian_abbreviation(std::string_view word, std::string_view after);

// Reads the short form that starts at `place`. The bytes it took, or 0 when there is none.
std::size_t read_persian_abbreviation(const Place& place, WordWriter& out);

}  // namespace qanat
