// Signs of units as they stand behind numbers, and how they are read.
#pragma once

#include <string_view>

namespace qanat {

struct SpokenUnit {
  std::string_view sign;      // as written, case counts: "MB", "mb"
  std::string_view singular;  // English
  std::string_view plural;
  std::string_view persian;  // one form
};

// The unit whose sign starts `text` and ends there or before something that is no letter; null
// when there is none. `text` is folded.
const SpokenUnit* find_unit(std::string_view text);

}  // namespace qanat
