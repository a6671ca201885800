#include "config/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace qanat {
namespace {

constexpr std::size_t kLongest = 100;  // longer names are compared by their beginning

std::string folded(std::string_view text) {
  std::string result(text.substr(0, kLongest));
  std::ranges::transform(result, result.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(c));
  });
  return result;
}

}  // namespace

int edit_distance(std::string_view left, std::string_view right) {
  const std::string a = folded(left);
  const std::string b = folded(right);
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    cost[i][0] = static_cast<int>(i);
  }
  for (std::size_t j = 0; j <= b.size(); ++j) {
    cost[0][j] = static_cast<int>(j);
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> nearest(std::string_view given, std::span<const std::string> names) {
  std::optional<std::string> best;
  int best_distance = std::max<int>(1, static_cast<int>(std::min(given.size(), kLongest)) / 3) + 1;
  for (const std::string& name : names) {
    const int distance = edit_distance(given, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace qanat
