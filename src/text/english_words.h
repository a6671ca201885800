// English words that are not read as they are written: abbreviations, initials, roman numerals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Text in capitals throughout says nothing about which words are initialisms or names.
enum class Capitals { meaningful, everywhere };

// "FBI": capitals that are said letter by letter.
bool is_initialism(std::string_view word);

// "FBI" "f b i"
std::string spaced_letters(std::string_view letters);

// Reads the words at `place`, and the spaces behind them, as far as nothing has to be decided about
// them: most of any text. The bytes it took; read_english_word() says the same of each word.
std::size_t read_plain_english_words(const Place& place, WordWriter& out);

// Reads the word that starts at `place` (an ASCII letter) and writes it in lower case, or what it
// stands for. The bytes it took, at least one.
std::size_t read_english_word(const Place& place, Capitals capitals, WordWriter& out);

}  // namespace qanat
