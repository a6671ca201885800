// In which scripts a language is written: what tells the languages of a model apart when a text
// names none. Pure function.
#pragma once

#include <string_view>

#include "base/language_tag.h"

namespace qanat {

// Whether a text in the script called so (TextScript::name) may be in this language. Tags that name
// a script (`sr-Latn`) are in that one; of languages that nothing is known of any text may be.
bool may_be_written_in(const LanguageTag& language, std::string_view script);

}  // namespace qanat
