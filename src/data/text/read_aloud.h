// Text as it is read aloud, in any language: the door to this library for those who want no tokens.
#pragma once

#include <string>
#include <string_view>

#include "base/language_tag.h"
#include "base/result.h"
#include "text/normalise.h"

namespace qanat {

// English and Persian by their readers: numbers, dates, short forms become words. Of other
// languages the letters in one form (normalise_any()), with its Failure for digits and signs.
Result<std::string> read_aloud(std::string_view utf8,
                               const LanguageTag& language,
                               const NormaliseOptions& options = {});

}  // namespace qanat
