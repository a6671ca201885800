// Normalised text to symbol ids and back.
//
// Value; const methods are thread-safe. A character without a symbol is left out of the ids (there
// is no "unknown" id a model could learn to mispronounce) and reported by unknown_symbols(). It
// parts words, unless it is a combining mark.
//
// Behind the built-in table stand the symbols learnt from texts of other languages. Texts of
// English and Persian have symbols of the built-in table only, so that their ids are the same
// whatever else a model has learnt.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/language_tag.h"
#include "text/learnt_symbols.h"

namespace qanat {

// The symbols a model knows, in the order of their ids. Tables only grow at the end; anything
// else is a new version, and models trained with the former no longer fit.
enum class SymbolSet {
  characters,
  phonemes,  // of espeak-ng
  own,       // what a command of the user answers (--g2p): the table of phonemes, and all it adds
};

constexpr std::string_view to_string(SymbolSet set) {
  return set == SymbolSet::characters ? "characters"
         : set == SymbolSet::phonemes ? "phonemes"
                                      : "own";
}

// The first ids of every set, in this order.
enum class SpecialSymbol { pad, silence, english, persian };

inline constexpr std::array<std::string_view, 4> kSpecialSymbols = {
    "[pad]", "[sil]", "[en]", "[fa]"};

inline constexpr int kSymbolTableVersion = 1;

// One code point each, without repetition.
std::u32string_view symbol_code_points(SymbolSet set);

using TokenId = std::int32_t;
using TokenIds = std::vector<TokenId>;

struct UnknownSymbol {
  std::string symbol;  // UTF-8
  std::int64_t count = 0;

  bool operator==(const UnknownSymbol&) const = default;
};

class Tokenizer {
 public:
  explicit Tokenizer(SymbolSet set = SymbolSet::characters, LearntSymbols learnt = {});

  // [language] [silence] symbols... [silence]; spaces single, none at the ends. A language that
  // was not learnt is a bug: ask knows().
  TokenIds encode(std::string_view normalised, const LanguageTag& language) const;

  bool knows(const LanguageTag& language) const;

  // The symbols of `ids` without the special ones; encode() undone for normalised text that
  // is all known.
  std::string decode(std::span<const TokenId> ids) const;

  // The characters encode() leaves out, each once, in the order of first appearance.
  std::vector<std::string> unknown_symbols(std::string_view normalised,
                                           const LanguageTag& language = {}) const;
  std::vector<UnknownSymbol> count_unknown_symbols(std::string_view normalised,
                                                   const LanguageTag& language = {}) const;

  // "[en]", "a"; U+FFFD for an id that is none.
  std::string symbol(TokenId id) const;

  int size() const;
  int version() const { return kSymbolTableVersion; }
  // Covers set, version and symbols: equal hashes, equal ids. The same on every machine.
  std::uint64_t hash() const { return hash_; }

  TokenId pad() const { return id_of(SpecialSymbol::pad); }
  TokenId silence() const { return id_of(SpecialSymbol::silence); }
  TokenId language_tag(const LanguageTag& language) const;

  const LearntSymbols& learnt() const { return learnt_; }

 private:
  static constexpr std::size_t kDirect = 0x800;  // Latin, IPA and Arabic are all below

  static constexpr TokenId id_of(SpecialSymbol symbol) { return static_cast<TokenId>(symbol); }
  enum class Scope { built_in, all };

  static bool sits_on_letter(char32_t code_point, Scope scope);
  Scope scope_of(const LanguageTag& language) const;
  std::optional<TokenId> find(char32_t code_point) const;  // in the built-in table
  std::optional<TokenId> find(char32_t code_point, Scope scope) const;
  std::optional<TokenId> find_language(const LanguageTag& language) const;

  SymbolSet set_;
  std::u32string_view symbols_;
  LearntSymbols learnt_;
  std::unordered_map<char32_t, TokenId> learnt_ids_;
  std::array<std::int16_t, kDirect> direct_;  // id by code point, -1: none
  std::uint64_t hash_ = 0;
};

}  // namespace qanat
