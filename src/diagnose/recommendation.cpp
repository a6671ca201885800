#include "diagnose/recommendation.h"

#include <algorithm>
#include <string_view>

namespace qanat {
namespace {

// "--num-workers 3" and "--set data.num_workers=3" give "3"; a flag alone switches something on.
std::string value_in(std::string_view flag) {
  const bool is_set = flag.starts_with("--set ");
  const std::size_t begin = flag.find(is_set ? '=' : ' ');
  if (begin == std::string_view::npos) {
    return "true";
  }
  const std::string_view rest = flag.substr(begin + 1);
  return std::string(rest.substr(0, rest.find(' ')));
}

}  // namespace

std::vector<Recommendation> recommend(std::span<const Finding> findings) {
  std::vector<Recommendation> all;
  for (const Finding& finding : findings) {
    if (finding.severity == FindingSeverity::info) {
      continue;
    }
    for (const Fix& fix : finding.fixes) {
      const bool known = std::ranges::find(all, fix.key, &Recommendation::key) != all.end();
      const bool is_setting = fix.key.find('.') != std::string::npos;
      if (is_setting && !known) {
        all.push_back({.key = fix.key,
                       .value = value_in(fix.flag),
                       .flag = fix.flag,
                       .why = finding.id + " " + finding.title,
                       .finding = finding.id});
      }
    }
  }
  return all;
}

}  // namespace qanat
