#include "text/learnt_symbols.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/utf8.h"
#include "text/tokenizer.h"
#include "text/unicode_data.h"

namespace qanat {
namespace {

bool is_built_in(SymbolSet set, char32_t code_point) {
  return symbol_code_points(set).find(code_point) != std::u32string_view::npos;
}

std::optional<char32_t> single_code_point(std::string_view symbol) {
  if (symbol.empty()) {
    return std::nullopt;
  }
  std::size_t end = 0;
  const std::optional<char32_t> code_point = read_code_point(symbol, end);
  return end == symbol.size() ? code_point : std::nullopt;
}

bool is_symbol(std::string_view symbol, SymbolSet set) {
  if (to_language_symbol(symbol)) {
    return true;
  }
  const std::optional<char32_t> code_point = single_code_point(symbol);
  return code_point && !is_built_in(set, *code_point);
}

}  // namespace

std::string symbol_of(const LanguageTag& language) {
  return '[' + language.text() + ']';
}

std::optional<LanguageTag> to_language_symbol(std::string_view symbol) {
  if (symbol.size() < 3 || symbol.front() != '[' || symbol.back() != ']') {
    return std::nullopt;
  }
  const std::string_view name = symbol.substr(1, symbol.size() - 2);
  const std::optional<LanguageTag> language = to_language_tag(name);
  const bool one = language && language->text() == name && !language->reader();
  return one ? language : std::nullopt;
}

void SymbolCollector::add(std::string_view symbols, const LanguageTag& language) {
  if (!language.reader()) {
    languages_.insert(symbol_of(language));
  }
  char32_t before = 0;
  for (std::size_t at = 0; at < symbols.size();) {
    const char32_t code_point = next_code_point(symbols, at);
    if (code_point != before) {
      characters_.insert(code_point);
      before = code_point;
    }
  }
}

LearntSymbols SymbolCollector::learnt(const LearntSymbols& known) const {
  LearntSymbols learnt{.added = known.added, .unused = {}};
  const std::unordered_set<std::string> had(known.added.begin(), known.added.end());
  const auto add = [&](const std::string& symbol) {
    if (!had.contains(symbol)) {
      learnt.added.push_back(symbol);
    }
  };
  std::ranges::for_each(languages_, add);
  for (const char32_t code_point : characters_) {
    if (!is_built_in(set_, code_point)) {
      add(encode_utf8({&code_point, 1}));
    }
  }
  for (const char32_t code_point : symbol_code_points(set_)) {
    const bool was_used =
        !known.added.empty() && known.unused.find(code_point) == std::u32string::npos;
    if (kind_of(code_point) == CharacterKind::letter && !was_used &&
        !characters_.contains(code_point)) {
      learnt.unused += code_point;
    }
  }
  if (learnt.added.empty()) {
    learnt.unused.clear();
  }
  return learnt;
}

Result<LearntSymbols> check_learnt(LearntSymbols symbols, SymbolSet set) {
  if (symbols.added.size() > kMaxLearntSymbols) {
    return Failure{"too many symbols"};
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& symbol : symbols.added) {
    if (!is_symbol(symbol, set) || !seen.insert(symbol).second) {
      return Failure{"\"" + encode_utf8(decode_utf8(symbol)) +
                     "\"; expected each symbol once: one character, or a language as [de]"};
    }
  }
  for (const char32_t code_point : symbols.unused) {
    if (!is_built_in(set, code_point)) {
      return Failure{"an unused symbol that is none"};
    }
  }
  return symbols;
}

}  // namespace qanat
