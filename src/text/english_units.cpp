#include "text/english_units.h"

#include <algorithm>
#include <string>

#include "text/place.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

// "m squared" is a square meter; the fold wrote the exponent out.
EnglishUnit find_power(string_view text, const WrittenNumber& number) {
  for (const string_view sign : {"km", "cm", "mm", "mi", "ft", "m"}) {
    const string_view after = text.substr(std::min(sign.size(), text.size()));
    const bool square = after.starts_with(" squared");
    if (!text.starts_with(sign) || (!square && !after.starts_with(" cubed"))) {
      continue;
    }
    const std::size_t exponent = string_view(square ? " squared" : " cubed").size();
    const SpokenUnit* unit = find_unit(sign, Language::en);
    if (unit == nullptr || !ends_unit_sign(after.substr(exponent))) {
      return {};
    }
    return {.words = (square ? "square " : "cubic ") +
                     std::string(number.is_one() ? unit->singular : unit->plural),
            .length = sign.size() + exponent};
  }
  return {};
}

}  // namespace

EnglishUnit find_english_unit(string_view text, const WrittenNumber& number) {
  if (EnglishUnit power = find_power(text, number); power.length > 0) {
    return power;
  }
  if (const SpokenUnit* unit = find_unit(text, Language::en)) {
    return {.words = std::string(number.is_one() ? unit->singular : unit->plural),
            .length = unit->sign.size()};
  }
  return {};
}

}  // namespace qanat
