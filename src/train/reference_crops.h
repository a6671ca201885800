// Which part of each utterance is shown to the model as the voice to imitate, and which rows are
// trained without one.
//
// Decided from (seed, epoch, item) alone: not from the batch a row is in, nor from how that batch
// is cut into parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace qanat {

struct ReferenceOptions {
  int min_frames = 129;  // 1.5 s
  int max_frames = 517;  // 6 s; never more than half of the utterance
  double drop = 0.1;     // share of rows trained without any condition
  double mask = 0.5;     // share of rows whose mel loss leaves the crop out
};

struct ReferenceCrop {
  int first = 0;        // frame of the utterance
  int frames = 0;       // at least 1
  bool keep = true;     // false: the row is trained without condition
  bool masked = false;  // the mel loss leaves the crop out

  bool operator==(const ReferenceCrop&) const = default;
};

// Thread-safe.
class ReferenceCrops {
 public:
  explicit ReferenceCrops(std::uint64_t seed, const ReferenceOptions& options = {})
      : seed_(seed), options_(options) {}

  ReferenceCrop crop(std::int64_t epoch, std::uint32_t item, int frames) const;
  // One per row.
  std::vector<ReferenceCrop> crops(std::int64_t epoch,
                                   std::span<const std::uint32_t> items,
                                   std::span<const std::int32_t> frames) const;

 private:
  std::uint64_t seed_;
  ReferenceOptions options_;
};

// The first half of each utterance, nothing dropped or masked: for validation, where luck has no
// place.
std::vector<ReferenceCrop> plain_crops(std::span<const std::int32_t> frames,
                                       const ReferenceOptions& options = {});

}  // namespace qanat
