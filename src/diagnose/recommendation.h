// What to change, one line each: as a flag to paste, and as it stands in a configuration file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diagnose/finding.h"

namespace qanat {

struct Recommendation {
  std::string key;    // "data.num_workers"
  std::string value;  // "3"
  std::string flag;   // "--num-workers 3"
  std::string why;
  std::string finding{};  // its id

  bool operator==(const Recommendation&) const = default;
};

// The settings that fix findings which are more than a remark, the greatest gain first, each key
// once: the next one is judged after the first was tried, because gains do not add.
std::vector<Recommendation> recommend(std::span<const Finding> findings);

}  // namespace qanat
