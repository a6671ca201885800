#include "train/clip_losses.h"

#include <cmath>
#include <numeric>

namespace qanat {
namespace {

double mean_of_clips(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void ClipLosses::add(std::size_t clip, double loss, double frames) {
  values_[clip % kGroups] += loss;
  values_[kGroups + clip % kGroups] += frames;
}

std::vector<double> ClipLosses::by_group() const {
  const std::span<const double> frames = std::span(values_).subspan(kGroups);
  const double all_frames = std::accumulate(frames.begin(), frames.end(), 0.0);
  std::vector<double> groups;
  for (std::size_t group = 0; group < kGroups; ++group) {
    if (frames[group] > 0) {
      groups.push_back(values_[group]);
    }
  }
  for (double& loss : groups) {
    loss *= static_cast<double>(groups.size()) / all_frames;
  }
  return groups;
}

std::optional<SinceLowest> compare_clips(const LowestLoss& lowest, std::span<const double> now) {
  const std::size_t clips = now.size();
  if (clips < 2 || lowest.clips.size() != clips) {
    return std::nullopt;
  }
  const double before = mean_of_clips(lowest.clips);
  const double change = mean_of_clips(now) - before;
  double squares = 0;
  for (std::size_t i = 0; i < clips; ++i) {
    const double off = now[i] - lowest.clips[i] - change;
    squares += off * off;
  }
  const double error = std::sqrt(squares / static_cast<double>(clips * (clips - 1)));
  if (!std::isfinite(change) || !std::isfinite(error)) {
    return std::nullopt;
  }
  return SinceLowest{.step = lowest.step,
                     .clips = static_cast<int>(clips),
                     .loss = before,
                     .change = change,
                     .error = error};
}

}  // namespace qanat
