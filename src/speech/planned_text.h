// A text as it will be said: everything that can go wrong with it has gone right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "text/text_front_end.h"

namespace qanat {

struct PlannedText {
  std::string text;        // well-formed, whatever was given
  std::string normalised;  // how it is read
  Language language = Language::en;
  std::vector<UnknownSymbol> unknown{};  // characters that are left out
  std::vector<std::string> pieces{};     // of the normalised text, each said in one breath
};

// `language`: nothing means by the script of the text. Throws Error for a text without anything to
// say.
PlannedText plan_text(const std::string& text,
                      const std::optional<Language>& language,
                      const TextFrontEnd& front_end);

// The beginning of a text, for messages.
std::string shortened(const std::string& text);

}  // namespace qanat
