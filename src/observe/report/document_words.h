// How the values of a document are said, for all of its renderers. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace qanat {

// Columns of a terminal: marks that join, isolate or stand on letters take none.
std::size_t display_width(std::string_view text);

// "12.3 ms", "unknown"; several parts with their names: "empty 70 %, full 3 %".
std::string fact_words(const Fact& fact, const Translator& translator);
// The same for a cell, in which what is not known is a dash.
std::string cell_words(const Value& value, const Translator& translator);

}  // namespace qanat
