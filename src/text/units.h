// Signs of units as they stand behind numbers, and how they are read. units.tsv holds them.
#pragma once

#include <string_view>

#include "base/language.h"

namespace qanat {

struct SpokenUnit {
  std::string_view sign;      // as written, case counts: "MB", "mb"
  std::string_view singular;  // English; empty: not read as a unit in English text
  std::string_view plural;
  std::string_view persian;  // one form; empty: not read as a unit in Persian text
};

// No letter, digit, slash or apostrophe comes behind a sign.
bool ends_unit_sign(std::string_view after);

// `sign` starts `text` and ends there.
bool starts_with_sign(std::string_view text, std::string_view sign);

// The unit of `language` whose sign starts `text` and ends there; null when there is none. `text`
// is folded.
const SpokenUnit* find_unit(std::string_view text, Language language);

}  // namespace qanat
