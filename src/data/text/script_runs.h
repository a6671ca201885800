// Which parts of a sentence are in the other script: English words in Persian text, Persian words
// in English text.
#pragma once

#include <string_view>
#include <vector>

#include "base/language.h"

namespace qanat {

struct ScriptRun {
  std::u32string_view text;
  Language language;  // whose rules read it

  bool operator==(const ScriptRun&) const = default;
};

// Splits `text`, a sentence in `language`, into runs that together are the whole of it. Numbers
// and punctuation belong to the sentence, so "iPhone 12" in a Persian sentence ends in دوازده;
// Latin digits glued to foreign letters ("mp3") or between foreign words stay with them. A unit
// sign behind a number ("5 km", "۲۲۰V"), a Roman numeral behind «قرن» and an IBAN are the
// sentence's. The views point into `text`.
std::vector<ScriptRun> split_scripts(std::u32string_view text, Language language);

}  // namespace qanat
