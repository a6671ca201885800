// The language of a text that does not say, for a model that knows some. Pure function.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/language_tag.h"

namespace qanat {

// `trained` empty (checkpoints of earlier versions), or English and Persian only: by the script. A
// model of one language: that one. Else the only one of `trained` that is written in the script of
// the text; nothing where several are, or none is.
std::optional<LanguageTag> choose_language(std::string_view utf8,
                                           const std::vector<LanguageTag>& trained);

}  // namespace qanat
