// What a validation lost clip by clip, so that two validations of the same clips can be compared: a
// mean over few clips that went up may go down with others. Many clips are compared in groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "metrics/validation_result.h"

namespace qanat {

class ClipLosses {
 public:
  static constexpr std::size_t kGroups = 64;

  // `clip` is its number in the set, whichever process validates it; `loss` is the sum over frames.
  void add(std::size_t clip, double loss, double frames);

  // To be added up over processes.
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

  // One for each group that has clips; their mean is the loss of the validation.
  std::vector<double> by_group() const;

 private:
  std::array<double, 2 * kGroups> values_{};  // losses, then frames
};

// The validation with the lowest loss of a run, which later ones are compared with.
struct LowestLoss {
  std::int64_t step = 0;
  std::vector<double> clips{};

  bool operator==(const LowestLoss&) const = default;
};

// Nothing where they are not of the same clips, or of fewer than two.
std::optional<SinceLowest> compare_clips(const LowestLoss& lowest, std::span<const double> now);

}  // namespace qanat
