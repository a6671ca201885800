// A text as it will be said: everything that can go wrong with it has gone right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/language_tag.h"
#include "text/text_front_end.h"

namespace qanat {

class SpeechModel;

// The symbols a model has not learnt, with the sentence they stand in.
struct UnlearntSymbols {
  std::string sentence;
  std::vector<UnknownSymbol> symbols;
};

struct PlannedText {
  std::string text;        // well-formed, whatever was given
  std::string normalised;  // how it is read
  LanguageTag language;
  std::vector<UnknownSymbol> unknown{};  // characters that are left out
  std::vector<UnlearntSymbols> unlearnt{};
  std::vector<std::string> pieces{};  // of the normalised text, each said in one breath
};

// `language`: nothing means by the script of the text, where that decides among the languages of
// the model; it is never guessed. Throws Error where it does not, and for a text without anything
// to say.
PlannedText plan_text(const std::string& text,
                      const std::optional<LanguageTag>& language,
                      const SpeechModel& model);

// The beginning of a text, for messages.
std::string shortened(const std::string& text);

}  // namespace qanat
