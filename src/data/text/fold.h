// One spelling for each letter, digit and mark: the first step of normalisation.
#pragma once

#include <string>
#include <string_view>

#include "base/language.h"

namespace qanat {

// Text without what is not seen: direction marks, kashida, combining accents, stray ZWNJ. Comes
// before the text is taken apart. Old Persian files hold U+00AC or U+00AD where ZWNJ was typed.
std::u32string drop_invisible(std::u32string_view text, Language language);

// Latin letters lose their accents (case stays); Arabic letters become the Persian ones; every
// digit is ASCII; quotes, dashes, spaces, separators and Persian punctuation are the ASCII ones,
// except « » (Persian), the dash — and the ellipsis …. What has no spelling here is kept, so that
// it can be reported. The result is UTF-8.
std::string fold_characters(std::u32string_view text, Language language);

}  // namespace qanat
