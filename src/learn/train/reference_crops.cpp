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

// The partner of its pair where it is here and another utterance of the speaker, else the row
// itself. A substitute may be in a batch twice: then it is no other utterance.
std::size_t choose_shown(const BatchRows& rows, std::size_t row) {
  const auto first = static_cast<std::size_t>(rows.first);
  const std::size_t partner = ((first + row) ^ 1U) - first;  // before the first row: very large
  const bool is_other = partner < rows.items.size() &&
                        rows.speakers[partner] == rows.speakers[row] &&
                        rows.items[partner] != rows.items[row];
  return is_other ? partner : row;
}

}  // namespace

ReferenceCrop ReferenceCrops::crop(std::int64_t epoch,
                                   const BatchRows& rows,
                                   std::size_t row) const {
  Random random{kPurpose, seed_, static_cast<std::uint64_t>(epoch), rows.items[row]};
  const bool without_reference = chance(random, options_.drop_reference);
  const bool without_speaker = chance(random, options_.drop_speaker);
  const auto range = static_cast<std::uint32_t>(options_.max_frames - options_.min_frames + 1);
  const int wanted = options_.min_frames + static_cast<int>(random.below(range));

  const std::size_t shown = choose_shown(rows, row);
  const int frames = rows.frames[shown];
  const int length = std::min(wanted, shown == row ? most_of_own(frames, options_) : frames);
  const auto places = static_cast<std::uint32_t>(frames - length + 1);
  return {.row = static_cast<int>(shown),
          .first = static_cast<int>(random.below(places)),
          .frames = without_reference ? 0 : length,
          .show_speaker = !without_speaker};
}

std::vector<ReferenceCrop> ReferenceCrops::crops(std::int64_t epoch, const BatchRows& rows) const {
  QANAT_CHECK(rows.items.size() == rows.frames.size() && rows.items.size() == rows.speakers.size())
      << "a length and a speaker for every item";
  std::vector<ReferenceCrop> result;
  result.reserve(rows.items.size());
  for (std::size_t row = 0; row < rows.items.size(); ++row) {
    result.push_back(crop(epoch, rows, row));
  }
  return result;
}

int most_of_own(int frames, const ReferenceOptions& options) {
  return std::min(frames / 2, options.max_frames);
}

int longest_reference(int frames, const ReferenceOptions& options) {
  return std::min(frames, options.max_frames);
}

}  // namespace qanat
