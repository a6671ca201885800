// Punctuation of every script as the mark of the symbol tables that is the same pause or tone.
#pragma once

namespace qanat {

// "。" is ".", "«" is a double quote; itself when there is no such mark.
char32_t folded_mark(char32_t code_point);

}  // namespace qanat
