// What each rule of diagnosis means and what to do about it, in words, for `qanat rules` and the
// documentation. Values; pure functions. A finding says more: it knows the numbers of its run.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/language.h"

namespace qanat {

struct RuleGuide {
  std::string_view id;
  std::string_view looks_for{};  // empty in English: the rule itself says it
  std::string_view meaning{};
  std::string_view remedy{};
};

std::span<const RuleGuide> english_rule_guides();
std::span<const RuleGuide> persian_rule_guides();

// Nothing when there is no rule of that name.
std::optional<RuleGuide> guide_of(std::string_view id, Language language);

// The heading of a category: "data" -> "The way of the data".
std::string_view category_title(std::string_view category, Language language);

}  // namespace qanat
