#include "text/roman_numerals.h"

#include <array>

namespace qanat {
namespace {

struct Step {
  std::string_view letters;
  std::uint64_t value;
  int most;  // times it may be repeated
};

// In the order the usual spelling writes them.
constexpr std::array kSteps = {Step{"M", 1000, 3},
                               Step{"CM", 900, 1},
                               Step{"D", 500, 1},
                               Step{"CD", 400, 1},
                               Step{"C", 100, 3},
                               Step{"XC", 90, 1},
                               Step{"L", 50, 1},
                               Step{"XL", 40, 1},
                               Step{"X", 10, 3},
                               Step{"IX", 9, 1},
                               Step{"V", 5, 1},
                               Step{"IV", 4, 1},
                               Step{"I", 1, 3}};

// 900 rules out 500, 400 and 100 behind it, and so on for the tens and ones.
bool fits_behind(std::uint64_t previous, std::uint64_t value) {
  for (const std::uint64_t unit : {100U, 10U, 1U}) {
    if (previous == 9 * unit) {
      return value < unit;
    }
    if (previous == 4 * unit) {
      return value < unit;
    }
    if (previous == 5 * unit) {
      return value != 4 * unit;
    }
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> roman_value(std::string_view numeral) {
  std::uint64_t total = 0;
  std::uint64_t previous = 0;
  for (const Step& step : kSteps) {
    for (int count = 0; count < step.most && numeral.starts_with(step.letters); ++count) {
      if (!fits_behind(previous, step.value)) {
        return std::nullopt;
      }
      numeral.remove_prefix(step.letters.size());
      total += step.value;
      previous = step.value;
    }
  }
  return numeral.empty() && total > 0 ? std::optional(total) : std::nullopt;
}

}  // namespace qanat
