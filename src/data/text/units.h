// Signs of units as they stand behind numbers, and how they are read. units.tsv holds them.
#pragma once

#include <optional>
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

// A sign that is read as a word wherever it stands, of signs.tsv: "&", "±".
struct SpokenSign {
  std::string_view sign;
  std::string_view english;
  std::string_view persian;  // empty: not read
};
// The one `text` starts with; null when there is none in this language.
const SpokenSign* find_sign(std::string_view text, Language language);

// Is a line of currencies.tsv.
struct SpokenCurrency {
  std::string_view sign;  // "$", "US$", "USD"
  std::string_view one;
  std::string_view many;
  std::string_view cent;
  std::string_view cents;
  std::string_view persian;  // empty: not read
  std::string_view persian_cents;
};
// The one whose sign `text` starts with; null when there is none in this language.
const SpokenCurrency* find_currency(std::string_view text, Language language);

struct PersianUnit {
  std::string_view sign;   // as written, case counts
  std::string_view words;  // ولت
};

// The unit whose sign starts `text`, folded, and ends there: ۲۲۰V, ۷۲/۵ kg, ۱.۵M. Also knows what
// is no unit elsewhere: V, L, A, and the magnitudes K and M.
std::optional<PersianUnit> find_persian_unit(std::string_view text);
// هزار or میلیون for a K or M that starts `text` and ends there; empty otherwise.
std::string_view magnitude_sign(std::string_view text);

}  // namespace qanat
