#include "text/persian_units.h"

#include <algorithm>
#include <array>

#include "text/characters.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::array kMagnitudeSigns = {PersianUnit{"K", "هزار"}, PersianUnit{"M", "میلیون"}};

const PersianUnit* find_magnitude_sign(string_view text) {
  const auto stands = [&](const PersianUnit& one) { return starts_with_sign(text, one.sign); };
  const auto* found = std::ranges::find_if(kMagnitudeSigns, stands);
  return found == kMagnitudeSigns.end() ? nullptr : found;
}

}  // namespace

std::optional<PersianUnit> find_persian_unit(string_view text) {
  if (text.empty() || (!is_ascii_letter(text[0]) && !text.starts_with("°"))) {
    return std::nullopt;
  }
  if (const SpokenUnit* unit = find_unit(text, Language::fa)) {
    return PersianUnit{.sign = unit->sign, .words = unit->persian};
  }
  const PersianUnit* magnitude = find_magnitude_sign(text);
  return magnitude != nullptr ? std::optional(*magnitude) : std::nullopt;
}

string_view magnitude_sign(string_view text) {
  const PersianUnit* magnitude = find_magnitude_sign(text);
  return magnitude != nullptr ? magnitude->words : string_view{};
}

}  // namespace qanat
