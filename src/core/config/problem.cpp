#include "config/problem.h"

#include <algorithm>

namespace qanat {
namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::vector<std::string> lines;
  lines.reserve(problems.size());
  for (const Problem& problem : problems) {
    lines.push_back(to_string(problem));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

std::string to_string(const Problem& problem, const Translator& words) {
  std::vector<std::string> parts = {problem.where, problem.key, words.said(problem.what)};
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ": "));
}

ConfigError::ConfigError(std::vector<Problem> problems)
    : Error(joined(problems)), problems_(std::move(problems)) {}

std::string shown(std::string text) {
  constexpr std::size_t kMax = 60;
  const bool cut = text.size() > kMax;
  if (cut) {
    text.resize(kMax);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) {
      text.pop_back();  // whole characters only
    }
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0) {
      text.pop_back();
    }
  }
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return cut ? text + "..." : text;
}

}  // namespace qanat
