// Signs of units as they stand behind numbers, and how they are read.
#pragma once

#include <span>
#include <string_view>

namespace qanat {

struct SpokenUnit {
  std::string_view sign;      // as written, case counts: "MB", "mb"
  std::string_view singular;  // English
  std::string_view plural;
  std::string_view persian;  // one form
};

// No letter, digit, slash or apostrophe comes behind a sign.
bool ends_unit_sign(std::string_view after);

// The first of `rows` whose sign starts `text` and ends there; null when there is none.
template <typename Row>
const Row* find_sign(std::span<const Row> rows, std::string_view text) {
  for (const Row& row : rows) {
    if (!text.empty() && text[0] == row.sign[0] && text.starts_with(row.sign) &&
        ends_unit_sign(text.substr(row.sign.size()))) {
      return &row;
    }
  }
  return nullptr;
}

// The unit whose sign starts `text` and ends there or before something that is no letter; null
// when there is none. `text` is folded.
const SpokenUnit* find_unit(std::string_view text);

}  // namespace qanat
