// How much of a data set is damaged, and whether that is more than a run accepts. Shared by loading
// and by `qanat data check`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dataset/manifest.h"
#include "dataset/problem.h"

namespace qanat {

// True when the row is skipped because it is broken (no audio, no text, a bad row); false when it
// is only too long or too short for this run.
bool is_damage(const DatasetProblem& problem);

struct DamageShare {
  std::int64_t damaged = 0;
  std::int64_t all = 0;                    // utterances used and left out
  const DatasetProblem* latest = nullptr;  // of the damaged; points into what was counted

  double value() const {
    return all == 0 ? 0 : static_cast<double>(damaged) / static_cast<double>(all);
  }
};

// `used` rows are used; `problems` say why others are not.
DamageShare damage_share(std::int64_t used, std::span<const DatasetProblem> problems);

// Why a run refuses the set: more than `max_bad_fraction` is damaged.
std::optional<Message> why_too_damaged(const Manifest& manifest,
                                       const DamageShare& share,
                                       double max_bad_fraction);

}  // namespace qanat
