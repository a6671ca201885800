#include "export/voice_symbols.h"

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"
#include "text/characters.h"
#include "text/fold.h"
#include "text/latin_letters.h"
#include "text/unicode_data.h"

namespace qanat {
namespace {

constexpr std::int64_t kBlank = 0;

// What the formats use for themselves: it never stands for a character.
bool is_reserved(char32_t code_point) {
  return code_point == U'_' || code_point == U'^' || code_point == U'$' || code_point < 0x20;
}

std::optional<char32_t> only_one(const std::string& utf8) {
  const std::u32string all = decode_utf8(utf8);
  return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
}

std::map<char32_t, std::int64_t> symbols_of(const Tokenizer& tokenizer) {
  std::map<char32_t, std::int64_t> ids;
  for (TokenId id = tokenizer.silence() + 1; id < tokenizer.size(); ++id) {
    if (const std::optional<char32_t> symbol = only_one(tokenizer.symbol(id))) {
      ids.emplace(*symbol, id);
    }
  }
  return ids;
}

// Capitals, Arabic forms of letters, quotes and spaces of other kinds: one symbol each, as the
// front end folds them; what it drops is a blank.
void add_spellings(std::map<char32_t, std::int64_t>& ids, Language language) {
  const std::map<char32_t, std::int64_t> symbols = ids;
  struct Range {
    char32_t first;
    char32_t last;
  };
  for (const Range& range :
       {Range{0x20, 0x24F}, {0x300, 0x36F}, {0x600, 0x6FF}, {0x2000, 0x206F}}) {
    for (char32_t code_point = range.first; code_point <= range.last; ++code_point) {
      if (is_reserved(code_point)) {
        continue;
      }
      const std::u32string one(1, code_point);
      std::string folded = fold_characters(drop_invisible(one, language), language);
      if (code_point == 0x200C) {  // invisible where it joins nothing
        folded = encode_utf8(one);
      }
      std::ranges::transform(folded, folded.begin(), to_ascii_lower);
      const std::optional<char32_t> same = only_one(folded);
      if (folded.empty()) {
        ids.insert_or_assign(code_point, kBlank);
      } else if (const auto found = same ? symbols.find(*same) : symbols.end();
                 found != symbols.end()) {
        ids.insert_or_assign(code_point, found->second);
      }
    }
  }
}

// Languages without a reader of their own: capitals.
void add_capitals(std::map<char32_t, std::int64_t>& ids) {
  constexpr char32_t kLastCapital = 0x1FFF;  // Latin, Greek, Cyrillic, Armenian, Georgian
  const std::map<char32_t, std::int64_t> symbols = ids;
  for (char32_t code_point = U'A'; code_point <= kLastCapital; ++code_point) {
    if (const auto found = symbols.find(to_small(code_point)); found != symbols.end()) {
      ids.try_emplace(code_point, found->second);
    }
  }
}

// Symbols that are a letter with a mark: what comes apart is put together again.
void add_compositions(VoiceSymbols& symbols, const std::map<char32_t, std::int64_t>& own) {
  for (const auto& [symbol, id] : own) {
    const std::u32string parts = decompose(symbol);
    if (parts.size() != 2 || !is_combining_mark(parts[1]) || !symbols.ids.contains(parts[0])) {
      continue;
    }
    const auto known = own.find(parts[1]);
    auto mark = symbols.ids.find(parts[1]);
    if (mark == symbols.ids.end() || (known == own.end() && mark->second == kBlank)) {
      mark = symbols.ids.insert_or_assign(parts[1], symbols.plan.ids++).first;
    }
    symbols.plan.compositions.push_back(
        {.letter = symbols.ids.at(parts[0]), .mark = mark->second, .composed = id});
  }
}

void add_scores(SymbolPlan& plan, const std::map<char32_t, std::int64_t>& own) {
  plan.scores.assign(static_cast<std::size_t>(plan.vocabulary), 0);
  for (const auto& [symbol, id] : own) {
    plan.scores[static_cast<std::size_t>(id)] = is_arabic_letter(symbol)  ? 1
                                                : is_latin_letter(symbol) ? -1
                                                                          : 0;
  }
}

}  // namespace

VoiceSymbols make_voice_symbols(const Tokenizer& tokenizer, const VoiceText& text) {
  QANAT_CHECK(!text.languages.empty() && tokenizer.pad() == kBlank);
  const std::map<char32_t, std::int64_t> own = symbols_of(tokenizer);
  VoiceSymbols symbols;
  symbols.ids = own;
  symbols.plan.vocabulary = tokenizer.size();
  symbols.plan.ids = tokenizer.size();
  symbols.plan.silence = tokenizer.silence();
  symbols.plan.space = own.at(U' ');
  if (text.units == SymbolSet::characters) {
    for (const LanguageTag& language : text.languages) {  // the last one has the last word
      if (const std::optional<Language> reader = language.reader()) {
        add_spellings(symbols.ids, *reader);
      } else {
        add_capitals(symbols.ids);
      }
    }
  } else if (text.stress == StressMarks::drop) {
    symbols.ids.insert_or_assign(U'ˈ', kBlank);
    symbols.ids.insert_or_assign(U'ˌ', kBlank);
  }
  add_compositions(symbols, own);
  for (const LanguageTag& language : text.languages) {
    symbols.plan.languages.push_back(tokenizer.language_tag(language));
  }
  if (text.languages.size() > 1) {
    add_scores(symbols.plan, own);
  }
  return symbols;
}

}  // namespace qanat
