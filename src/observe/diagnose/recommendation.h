// Which settings to change, one line each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diagnose/finding.h"

namespace qanat {

struct Recommendation {
  Fix fix;              // of a key
  std::string finding;  // its id
  Message why;
};

// The first setting that fixes each finding which is more than a remark, the greatest gain first,
// each key once: the next one is judged after the first was tried, because gains overlap.
std::vector<Recommendation> recommend(std::span<const Finding> findings);

// The first fix that is a setting; null when there is none.
const Fix* setting_of(const Finding& finding);

}  // namespace qanat
