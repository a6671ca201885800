// Texts that are laid out in English, said in another language line by line: what stands between
// two or more spaces is a sentence of the catalogue, a number or a name. Pure.
#pragma once

#include <string>
#include <string_view>

#include "report/words.h"

namespace qanat {

// Indents and gaps stay as they are. Sentences that are not in the catalogue stay English,
// isolated; in English everything does.
std::string translated_lines(std::string_view english, const Words& words);

}  // namespace qanat
