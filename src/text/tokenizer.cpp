#include "text/tokenizer.h"

#include <algorithm>

#include "base/content_hash.h"
#include "base/utf8.h"
#include "text/characters.h"

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

constexpr std::size_t kMaxSymbols = 256;  // an id fits a byte in stored features

static_assert(has_no_repetition(kCharacters) && has_no_repetition(kPhonemes));
static_assert(kSpecialSymbols.size() + std::max(kCharacters.size(), kPhonemes.size()) <=
              kMaxSymbols);

constexpr auto kFirstPlain = static_cast<TokenId>(kSpecialSymbols.size());

std::uint64_t hash_table(SymbolSet set, std::u32string_view symbols) {
  ContentHasher hash;
  hash.add(to_string(set)).add(std::to_string(kSymbolTableVersion));
  for (const std::string_view special : kSpecialSymbols) {
    hash.add(special);
  }
  for (const char32_t symbol : symbols) {
    hash.add(encode_utf8({&symbol, 1}));
  }
  return hash.value();
}

}  // namespace

std::u32string_view symbol_code_points(SymbolSet set) {
  return set == SymbolSet::characters ? kCharacters : kPhonemes;
}

Tokenizer::Tokenizer(SymbolSet set)
    : symbols_(symbol_code_points(set)), hash_(hash_table(set, symbols_)) {
  direct_.fill(-1);
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (symbols_[i] < kDirect) {
      direct_[symbols_[i]] = static_cast<std::int16_t>(kFirstPlain + static_cast<TokenId>(i));
    }
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

TokenIds Tokenizer::encode(std::string_view normalised, Language language) const {
  TokenIds ids;
  ids.reserve(normalised.size() + 3);
  ids.push_back(language_tag(language));
  ids.push_back(silence());
  const std::optional<TokenId> space = find(U' ');
  bool pending_space = false;  // so that what is left out leaves no second space behind
  for (std::size_t at = 0; at < normalised.size();) {
    const char32_t code_point = next_code_point(normalised, at);
    const std::optional<TokenId> id = find(code_point);
    if (!id || id == space) {
      pending_space = pending_space || id == space || !is_combining_mark(code_point);
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
      text += symbol(id);
    }
  }
  return text;
}

std::string Tokenizer::symbol(TokenId id) const {
  if (id >= 0 && id < kFirstPlain) {
    return std::string(kSpecialSymbols[static_cast<std::size_t>(id)]);
  }
  const bool known = id >= 0 && id < size();
  const char32_t code_point =
      known ? symbols_[static_cast<std::size_t>(id - kFirstPlain)] : kReplacementCharacter;
  return encode_utf8({&code_point, 1});
}

std::vector<UnknownSymbol> Tokenizer::count_unknown_symbols(std::string_view normalised) const {
  std::vector<UnknownSymbol> unknown;
  for (std::size_t at = 0; at < normalised.size();) {
    const char32_t code_point = next_code_point(normalised, at);
    if (find(code_point)) {
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

std::vector<std::string> Tokenizer::unknown_symbols(std::string_view normalised) const {
  std::vector<std::string> symbols;
  for (UnknownSymbol& unknown : count_unknown_symbols(normalised)) {
    symbols.push_back(std::move(unknown.symbol));
  }
  return symbols;
}

int Tokenizer::size() const {
  return static_cast<int>(kSpecialSymbols.size() + symbols_.size());
}

TokenId Tokenizer::language_tag(Language language) const {
  return id_of(language == Language::en ? SpecialSymbol::english : SpecialSymbol::persian);
}

}  // namespace qanat
