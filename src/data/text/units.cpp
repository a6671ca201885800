#include "text/units.h"

#include <algorithm>
#include <array>

#include "text/characters.h"

namespace qanat {
namespace {

constexpr std::array kUnits = {
#include "text/units_rows.inc"
};
constexpr std::array kSigns = {
#include "text/signs_rows.inc"
};
constexpr std::array kCurrencies = {
#include "text/currencies_rows.inc"
};

constexpr std::array kMagnitudeSigns = {PersianUnit{"K", "هزار"}, PersianUnit{"M", "میلیون"}};

// The first row that fits; null when none does.
auto first_in(const auto& rows, auto fits) -> decltype(rows.data()) {
  const auto* found = std::ranges::find_if(rows, fits);
  return found == rows.end() ? nullptr : found;
}

const PersianUnit* find_magnitude_sign(std::string_view text) {
  return first_in(kMagnitudeSigns,
                  [&](const PersianUnit& one) { return starts_with_sign(text, one.sign); });
}

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
  return first_in(kUnits, stands);
}

const SpokenSign* find_sign(std::string_view text, Language language) {
  return first_in(kSigns, [&](const SpokenSign& one) {
    return !text.empty() && text[0] == one.sign[0] && text.starts_with(one.sign) &&
           !(language == Language::fa && one.persian.empty());
  });
}

const SpokenCurrency* find_currency(std::string_view text, Language language) {
  return first_in(kCurrencies, [&](const SpokenCurrency& one) {
    return text.starts_with(one.sign) && !(language == Language::fa && one.persian.empty());
  });
}

std::optional<PersianUnit> find_persian_unit(std::string_view text) {
  if (text.empty() || (!is_ascii_letter(text[0]) && !text.starts_with("°"))) {
    return std::nullopt;
  }
  if (const SpokenUnit* unit = find_unit(text, Language::fa)) {
    return PersianUnit{.sign = unit->sign, .words = unit->persian};
  }
  const PersianUnit* magnitude = find_magnitude_sign(text);
  return magnitude != nullptr ? std::optional(*magnitude) : std::nullopt;
}

std::string_view magnitude_sign(std::string_view text) {
  const PersianUnit* magnitude = find_magnitude_sign(text);
  return magnitude != nullptr ? magnitude->words : std::string_view{};
}

}  // namespace qanat
