#include "diagnose/settled_verdict.h"

namespace qanat {

bool SettledVerdict::has_lasted() const {
  const auto steps = static_cast<double>(streak_->last);
  const std::int64_t held = streak_->last - streak_->first;
  return streak_->judgements >= kJudgements && held >= kMinHeld &&
         static_cast<double>(held) >= kHeldShare * steps;
}

bool SettledVerdict::observe(const Diagnosis& diagnosis, std::int64_t steps) {
  if (diagnosis.measures.steady.size() < kMinSteps || (streak_ && steps <= streak_->last)) {
    return false;
  }
  const Finding* const cause = cause_of(diagnosis);
  const Verdict verdict{.kind = diagnosis.verdict, .cause = cause != nullptr ? cause->id : ""};
  if (!streak_ || streak_->verdict != verdict) {
    streak_ = {.verdict = verdict, .first = steps};
  }
  streak_->last = steps;
  ++streak_->judgements;
  if (verdict == settled_ || !has_lasted()) {
    return false;
  }
  if (changes_.size() == kMaxChanges) {
    if (steps - changes_.front() < kWindow) {
      return false;
    }
    changes_.pop_front();
  }
  changes_.push_back(steps);
  settled_ = verdict;
  return true;
}

}  // namespace qanat
