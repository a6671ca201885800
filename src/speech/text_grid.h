// Alignments as Praat shows them: tiers of labelled intervals.
#pragma once

#include <string>
#include <vector>

namespace qanat {

struct GridInterval {
  double begin = 0.0;  // s
  double end = 0.0;
  std::string label;  // UTF-8

  bool operator==(const GridInterval&) const = default;
};

// The intervals follow one another without gap, from 0 on.
struct GridTier {
  std::string name;
  std::vector<GridInterval> intervals;
};

// A TextGrid file in Praat's long text format. All tiers end at `end`.
std::string to_text_grid(const std::vector<GridTier>& tiers, double end);

}  // namespace qanat
