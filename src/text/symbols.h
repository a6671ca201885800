// The symbols a model knows, in the order of their ids. Tables only grow at the end; anything
// else is a new version, and models trained with the former no longer fit.
#pragma once

#include <array>
#include <string_view>

namespace qanat {

enum class SymbolSet { characters, phonemes };

constexpr std::string_view to_string(SymbolSet set) {
  return set == SymbolSet::characters ? "characters" : "phonemes";
}

// The first ids of every set, in this order.
enum class SpecialSymbol { pad, silence, english, persian };

inline constexpr std::array<std::string_view, 4> kSpecialSymbols = {
    "[pad]", "[sil]", "[en]", "[fa]"};

inline constexpr int kSymbolTableVersion = 1;

// One code point each, without repetition.
std::u32string_view symbol_code_points(SymbolSet set);

}  // namespace qanat
