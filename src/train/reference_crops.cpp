#include "train/reference_crops.h"

#include <algorithm>

#include "base/check.h"
#include "batch/random.h"

namespace qanat {
namespace {

// Tells this use of the seed from others: plans, weights.
constexpr std::uint64_t kPurpose = 0x7265666372'6f70;

bool chance(Random& random, double share) {
  constexpr double kUnit = 1.0 / 4294967296.0;
  return static_cast<double>(random.next() >> 32) * kUnit < share;
}

}  // namespace

ReferenceCrop ReferenceCrops::crop(std::int64_t epoch, std::uint32_t item, int frames) const {
  Random random{kPurpose, seed_, static_cast<std::uint64_t>(epoch), item};
  const auto range = static_cast<std::uint32_t>(options_.max_frames - options_.min_frames + 1);
  const int wanted = options_.min_frames + static_cast<int>(random.below(range));
  const int length = std::clamp(frames / 2, 1, wanted);
  const auto places = static_cast<std::uint32_t>(std::max(1, frames - length + 1));
  return {.first = static_cast<int>(random.below(places)),
          .frames = length,
          .keep = !chance(random, options_.drop),
          .masked = chance(random, options_.mask)};
}

std::vector<ReferenceCrop> ReferenceCrops::crops(std::int64_t epoch,
                                                 std::span<const std::uint32_t> items,
                                                 std::span<const std::int32_t> frames) const {
  QANAT_CHECK(items.size() == frames.size()) << "a length for every item";
  std::vector<ReferenceCrop> result;
  result.reserve(items.size());
  for (std::size_t row = 0; row < items.size(); ++row) {
    result.push_back(crop(epoch, items[row], frames[row]));
  }
  return result;
}

std::vector<ReferenceCrop> plain_crops(std::span<const std::int32_t> frames,
                                       const ReferenceOptions& options) {
  std::vector<ReferenceCrop> result;
  result.reserve(frames.size());
  for (const std::int32_t count : frames) {
    result.push_back({.frames = std::clamp(count / 2, 1, options.max_frames)});
  }
  return result;
}

}  // namespace qanat
