#include "text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/content_hash.h"
#include "base/utf8.h"
#include "text/characters.h"
#include "text/unicode_data.h"

namespace qanat {
namespace {

// Both sets begin with the space and the marks that are pauses or tones of voice. \u200C is ZWNJ.
constexpr std::u32string_view kCharacters =
    U" !\"'(),-.:;?—…"
    U"،؛؟«»"
    U"abcdefghijklmnopqrstuvwxyz"
    U"اآبپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی"
    U"ءأؤئ"
    U"\u0654\u064B\u064C\u064D\u064E\u064F\u0650\u0651\u0652\u0670"
    U"\u200C";

// What espeak-ng writes for en-us and fa, and the rest of the pulmonic IPA for other versions.
constexpr std::u32string_view kPhonemes =
    U" !\"'(),-.:;?—…"
    U"،؛؟«»"
    U"abcdefhijklmnopqrstuvwxyz"
    U"ɑɐɒæβɔɕçɖðəɘɚɛɜɝɞɟɡɢɣɤɦħɥɨɪʝɭɬɫɮʟɱɯɰŋɳɲɴøɵɸθœɶɹɺɾɻʀʁɽʂʃʈʉʊʋʌʍχʎʏʑʐʒʔʕᵻᵊ"
    U"ˈˌːˑʰʲʷˠˤ"
    U"\u0303\u0329\u032F\u0325\u030A";

constexpr bool has_no_repetition(std::u32string_view symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols.find(symbols[i], i + 1) != std::u32string_view::npos) {
      return false;
    }
  }
  return true;
}

static_assert(has_no_repetition(kCharacters) && has_no_repetition(kPhonemes));

constexpr auto kFirstPlain = static_cast<TokenId>(kSpecialSymbols.size());

std::uint64_t hash_table(SymbolSet set,
                         std::u32string_view symbols,
                         const std::vector<std::string>& added) {
  ContentHasher hash;
  hash.add(to_string(set)).add(std::to_string(kSymbolTableVersion));
  for (const std::string_view special : kSpecialSymbols) {
    hash.add(special);
  }
  for (const char32_t symbol : symbols) {
    hash.add(encode_utf8({&symbol, 1}));
  }
  for (const std::string& symbol : added) {
    hash.add(symbol);
  }
  return hash.value();
}

}  // namespace

std::u32string_view symbol_code_points(SymbolSet set) {
  return set == SymbolSet::characters ? kCharacters : kPhonemes;
}

Tokenizer::Tokenizer(SymbolSet set, LearntSymbols learnt)
    : set_(set),
      symbols_(symbol_code_points(set)),
      learnt_(std::move(learnt)),
      hash_(hash_table(set, symbols_, learnt_.added)) {
  direct_.fill(-1);
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (symbols_[i] < kDirect) {
      direct_[symbols_[i]] = static_cast<std::int16_t>(kFirstPlain + static_cast<TokenId>(i));
    }
  }
  auto id = kFirstPlain + static_cast<TokenId>(symbols_.size());
  for (const std::string& symbol : learnt_.added) {
    if (!to_language_symbol(symbol)) {
      learnt_ids_.emplace(decode_utf8(symbol)[0], id);
    }
    ++id;
  }
}

std::optional<TokenId> Tokenizer::find(char32_t code_point) const {
  if (code_point < kDirect) {
    const std::int16_t id = direct_[code_point];
    return id < 0 ? std::nullopt : std::optional<TokenId>(id);
  }
  const std::size_t index = symbols_.find(code_point);
  if (index == std::u32string_view::npos) {
    return std::nullopt;
  }
  return kFirstPlain + static_cast<TokenId>(index);
}

Tokenizer::Scope Tokenizer::scope_of(const LanguageTag& language) const {
  return language.reader() && set_ != SymbolSet::own ? Scope::built_in : Scope::all;
}

std::optional<TokenId> Tokenizer::find(char32_t code_point, Scope scope) const {
  if (scope == Scope::built_in) {
    return find(code_point);
  }
  if (learnt_.unused.find(code_point) != std::u32string::npos) {
    return std::nullopt;
  }
  if (const std::optional<TokenId> id = find(code_point)) {
    return id;
  }
  const auto found = learnt_ids_.find(code_point);
  return found == learnt_ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TokenId> Tokenizer::find_language(const LanguageTag& language) const {
  if (const std::optional<Language> own = language.reader()) {
    return id_of(*own == Language::en ? SpecialSymbol::english : SpecialSymbol::persian);
  }
  const auto found = std::ranges::find(learnt_.added, symbol_of(language));
  if (found == learnt_.added.end()) {
    return std::nullopt;
  }
  return kFirstPlain + static_cast<TokenId>(symbols_.size() + static_cast<std::size_t>(
                                                                  found - learnt_.added.begin()));
}

bool Tokenizer::sits_on_letter(char32_t code_point, Scope scope) {
  return scope == Scope::built_in ? is_combining_mark(code_point)
                                  : kind_of(code_point) == CharacterKind::mark;
}

bool Tokenizer::knows(const LanguageTag& language) const {
  return find_language(language).has_value();
}

TokenIds Tokenizer::encode(std::string_view normalised, const LanguageTag& language) const {
  TokenIds ids;
  ids.reserve(normalised.size() + 3);
  const Scope scope = scope_of(language);
  ids.push_back(language_tag(language));
  ids.push_back(silence());
  const std::optional<TokenId> space = find(U' ');
  bool pending_space = false;  // so that what is left out leaves no second space behind
  for (std::size_t at = 0; at < normalised.size();) {
    const char32_t code_point = next_code_point(normalised, at);
    const std::optional<TokenId> id = find(code_point, scope);
    if (!id || id == space) {
      pending_space = pending_space || id == space || !sits_on_letter(code_point, scope);
      continue;
    }
    if (pending_space && ids.back() != silence()) {
      ids.push_back(*space);
    }
    pending_space = false;
    ids.push_back(*id);
  }
  ids.push_back(silence());
  return ids;
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) {
    if (id < 0 || id >= kFirstPlain) {
      const std::string one = symbol(id);
      text += to_language_symbol(one) ? std::string() : one;
    }
  }
  return text;
}

std::string Tokenizer::symbol(TokenId id) const {
  if (id >= 0 && id < kFirstPlain) {
    return std::string(kSpecialSymbols[static_cast<std::size_t>(id)]);
  }
  const bool known = id >= 0 && id < size();
  const auto index = static_cast<std::size_t>(id - kFirstPlain);
  if (known && index >= symbols_.size()) {
    return learnt_.added[index - symbols_.size()];
  }
  const char32_t code_point = known ? symbols_[index] : kReplacementCharacter;
  return encode_utf8({&code_point, 1});
}

std::vector<UnknownSymbol> Tokenizer::count_unknown_symbols(std::string_view normalised,
                                                            const LanguageTag& language) const {
  const Scope scope = scope_of(language);
  std::vector<UnknownSymbol> unknown;
  for (std::size_t at = 0; at < normalised.size();) {
    const char32_t code_point = next_code_point(normalised, at);
    if (find(code_point, scope)) {
      continue;
    }
    const std::string symbol = encode_utf8({&code_point, 1});
    const auto seen = std::ranges::find(unknown, symbol, &UnknownSymbol::symbol);
    if (seen == unknown.end()) {
      unknown.push_back({.symbol = symbol, .count = 1});
    } else {
      ++seen->count;
    }
  }
  return unknown;
}

std::vector<std::string> Tokenizer::unknown_symbols(std::string_view normalised,
                                                    const LanguageTag& language) const {
  std::vector<std::string> symbols;
  for (UnknownSymbol& unknown : count_unknown_symbols(normalised, language)) {
    symbols.push_back(std::move(unknown.symbol));
  }
  return symbols;
}

int Tokenizer::size() const {
  return static_cast<int>(kSpecialSymbols.size() + symbols_.size() + learnt_.added.size());
}

TokenId Tokenizer::language_tag(const LanguageTag& language) const {
  const std::optional<TokenId> id = find_language(language);
  QANAT_CHECK(id.has_value()) << language.text();
  return *id;
}

}  // namespace qanat
