// Which characters an exported voice understands, and which id each has: the symbols of the model,
// other spellings of them, and the marks that are split from their letters on the way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/language_tag.h"
#include "export/symbol_graph.h"
#include "text/text_front_end.h"

namespace qanat {

struct VoiceSymbols {
  SymbolPlan plan;
  std::map<char32_t, std::int64_t> ids;  // blanks included, for what is not heard
};

struct VoiceText {
  SymbolSet units = SymbolSet::characters;
  StressMarks stress = StressMarks::keep;
  std::vector<LanguageTag>
      languages;  // one, or English and Persian: then the script of a text decides
};

VoiceSymbols make_voice_symbols(const Tokenizer& tokenizer, const VoiceText& text);

}  // namespace qanat
