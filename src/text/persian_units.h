// Signs of units behind numbers in Persian text, and how they are read: ۲۲۰V, ۷۲/۵ kg, ۱.۵M.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace qanat {

struct PersianUnit {
  std::string_view sign;   // as written, case counts
  std::string_view words;  // ولت
};

// The unit whose sign starts `text`, folded, and ends there. Also knows what is no unit elsewhere:
// V, L, A, and the magnitudes K and M.
std::optional<PersianUnit> find_persian_unit(std::string_view text);

// هزار or میلیون for a K or M that starts `text` and ends there; empty otherwise.
std::string_view magnitude_sign(std::string_view text);

}  // namespace qanat
