// Long text cut into pieces a model can say in one breath.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qanat {

// `normalised` is text without abbreviations and numbers (text_front_end.h), so every full stop
// ends a sentence. Cut behind sentence ends; a sentence longer than `longest` code points also
// behind its last comma, or else its last space, that keeps the piece within the limit. Pieces have
// no spaces at their ends and are not empty; all together they have every other character of the
// text.
std::vector<std::string> sentence_pieces(std::string_view normalised, std::size_t longest);

}  // namespace qanat
