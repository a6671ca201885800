// Tells a verdict that has changed for good from one that wavers: what is measured of a run moves
// with its neighbours, and of two causes that cost about the same each comes first now and then.
//
// Value; belongs to one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "diagnose/diagnosis.h"

namespace qanat {

class SettledVerdict {
 public:
  static constexpr int kJudgements = 3;          // in a row that agree
  static constexpr std::int64_t kMinHeld = 60;   // steps between the first of them and the last
  static constexpr double kHeldShare = 0.1;      // and of the steps of the run
  static constexpr std::size_t kMaxChanges = 3;  // in kWindow steps
  static constexpr std::int64_t kWindow = 1000;

  // A judgement of a run that has made `steps` steps. True when its verdict and first cause have
  // lasted, and are others than the last ones this was true for.
  bool observe(const Diagnosis& diagnosis, std::int64_t steps);

 private:
  struct Verdict {
    VerdictKind kind = VerdictKind::incomplete;
    std::string cause{};  // rule; empty: none
    bool operator==(const Verdict&) const = default;
  };
  struct Streak {
    Verdict verdict;
    std::int64_t first = 0;  // steps of the run at its judgements
    std::int64_t last = 0;
    int judgements = 0;
  };

  bool has_lasted() const;

  std::optional<Verdict> settled_;
  std::optional<Streak> streak_;
  std::deque<std::int64_t> changes_;  // steps of the run at the latest ones
};

}  // namespace qanat
