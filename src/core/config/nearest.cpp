#include "config/nearest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

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

int edit_distance(std::string_view one, std::string_view other) {
  const std::string a = folded(one);
  const std::string b = folded(other);
  // Rows i - 2, i - 1 and i of the table of distances between beginnings.
  std::array<std::array<int, kLongest + 1>, 3> rows{};
  std::iota(rows[0].begin(), rows[0].end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const auto& before = rows[(i + 1) % 3];
    const auto& above = rows[(i - 1) % 3];
    auto& row = rows[i % 3];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
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
