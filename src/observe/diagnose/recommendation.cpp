#include "diagnose/recommendation.h"

#include <algorithm>

namespace qanat {

const Fix* setting_of(const Finding& finding) {
  const auto fix = std::ranges::find_if(finding.fixes, &Fix::is_setting);
  return fix == finding.fixes.end() ? nullptr : &*fix;
}

std::vector<Recommendation> recommend(std::span<const Finding> findings) {
  std::vector<Recommendation> all;
  for (const Finding& finding : findings) {
    const Fix* const fix = setting_of(finding);
    if (finding.severity == FindingSeverity::info || fix == nullptr) {
      continue;
    }
    const auto same_key = [fix](const Recommendation& one) { return one.fix.key == fix->key; };
    if (std::ranges::none_of(all, same_key)) {
      all.push_back({.fix = *fix, .finding = finding.id, .why = finding.title});
    }
  }
  return all;
}

}  // namespace qanat
