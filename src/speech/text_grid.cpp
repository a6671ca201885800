#include "speech/text_grid.h"

#include <fmt/format.h>

namespace qanat {
namespace {

// Quotation marks are doubled; a line stays one.
std::string escaped(const std::string& label) {
  std::string result;
  for (const char c : label) {
    result += c == '\n' || c == '\r' ? ' ' : c;
    if (c == '"') {
      result += '"';
    }
  }
  return result;
}

}  // namespace

std::string to_text_grid(const std::vector<GridTier>& tiers, double end) {
  std::string out = fmt::format(
      "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\nxmax = {:.6f}\n"
      "tiers? <exists>\nsize = {}\nitem []:\n",
      end,
      tiers.size());
  for (std::size_t t = 0; t < tiers.size(); ++t) {
    const GridTier& tier = tiers[t];
    out += fmt::format(
        "    item [{}]:\n        class = \"IntervalTier\"\n        name = \"{}\"\n"
        "        xmin = 0\n        xmax = {:.6f}\n        intervals: size = {}\n",
        t + 1,
        escaped(tier.name),
        end,
        tier.intervals.size());
    for (std::size_t i = 0; i < tier.intervals.size(); ++i) {
      const GridInterval& one = tier.intervals[i];
      out += fmt::format(
          "        intervals [{}]:\n            xmin = {:.6f}\n            xmax = {:.6f}\n"
          "            text = \"{}\"\n",
          i + 1,
          one.begin,
          one.end,
          escaped(one.label));
    }
  }
  return out;
}

}  // namespace qanat
