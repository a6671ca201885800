// The symbols a set of texts adds to the built-in table, and those of the table it does not use.
//
// Values and pure functions. They are found in the training texts once, stored in the checkpoint
// and read from there by everything that uses the model.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/language_tag.h"
#include "base/result.h"

namespace qanat {

enum class SymbolSet;

// In the order of their ids, behind those of the built-in table: tags of languages as "[de]",
// others one code point each.
struct LearntSymbols {
  std::vector<std::string> added;
  // Letters of the built-in table that no text of a language without a reader had.
  std::u32string unused;

  bool operator==(const LearntSymbols&) const = default;
};

// What is known of one set of texts; the order they are added in does not matter.
class SymbolCollector {
 public:
  explicit SymbolCollector(SymbolSet set) : set_(set) {}

  void add(std::string_view symbols, const LanguageTag& language);

  // `known` first, in its order, then what is new, languages before characters, each sorted.
  LearntSymbols learnt(const LearntSymbols& known) const;

 private:
  SymbolSet set_;
  std::set<std::string> languages_;
  std::set<char32_t> characters_;
};

inline constexpr std::size_t kMaxLearntSymbols = 60'000;  // fits the vocabulary of a checkpoint

// "[de]", as the table has it.
std::string symbol_of(const LanguageTag& language);
// The other way round; nothing when it is no such symbol.
std::optional<LanguageTag> to_language_symbol(std::string_view symbol);

// Never trusts its input: a list that names a symbol twice, one of the built-in table or nothing at
// all is a Failure.
Result<LearntSymbols> check_learnt(LearntSymbols symbols, SymbolSet set);

}  // namespace qanat
