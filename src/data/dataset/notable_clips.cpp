#include "dataset/notable_clips.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qanat {
namespace {

double median_length(std::span<const ClipFacts> clips) {
  std::vector<double> seconds;
  for (const ClipFacts& clip : clips) {
    seconds.push_back(clip.length.count());
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

// The smallest is the most of its kind.
double order_of(ClipKind kind, const ClipFacts& clip, double median) {
  switch (kind) {
    case ClipKind::typical:
      return std::abs(clip.length.count() - median);
    case ClipKind::shortest:
      return clip.length.count();
    case ClipKind::longest:
      return -clip.length.count();
    case ClipKind::fastest:
      return -clip.pace;
    case ClipKind::slowest:
      return clip.pace;
  }
  return 0;
}

}  // namespace

std::vector<ChosenClip> choose_clips(std::span<const ClipFacts> clips, std::size_t most) {
  std::vector<ChosenClip> chosen;
  if (clips.empty()) {
    return chosen;
  }
  const double median = median_length(clips);
  std::vector<std::size_t> order(clips.size());
  for (std::size_t i = 0; i < kNumClipKinds; ++i) {
    const auto kind = static_cast<ClipKind>(i);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
    std::ranges::partial_sort(order, end, [&](std::size_t a, std::size_t b) {
      const double first = order_of(kind, clips[a], median);
      const double second = order_of(kind, clips[b], median);
      return first != second ? first < second : a < b;
    });
    for (auto at = order.begin(); at != end; ++at) {
      chosen.push_back({.kind = kind, .clip = *at});
    }
  }
  return chosen;
}

}  // namespace qanat
