#include "text/units.h"

#include <algorithm>
#include <array>

#include "text/characters.h"

namespace qanat {
namespace {

constexpr std::array kUnits = {
#include "text/units_rows.inc"
};

}  // namespace

bool ends_unit_sign(std::string_view after) {
  return after.empty() || (!is_ascii_letter(after[0]) && !is_ascii_digit(after[0]) &&
                           after[0] != '/' && after[0] != '\'');
}

bool starts_with_sign(std::string_view text, std::string_view sign) {
  return !text.empty() && text[0] == sign[0] && text.starts_with(sign) &&
         ends_unit_sign(text.substr(sign.size()));
}

const SpokenUnit* find_unit(std::string_view text, Language language) {
  const auto stands = [&](const SpokenUnit& unit) {
    const std::string_view words = language == Language::fa ? unit.persian : unit.singular;
    return starts_with_sign(text, unit.sign) && !words.empty();
  };
  const auto* found = std::ranges::find_if(kUnits, stands);
  return found == kUnits.end() ? nullptr : found;
}

}  // namespace qanat
