#include "pipeline/bad_rows.h"

#include <cmath>

namespace qanat {
namespace {

constexpr std::int64_t kLeastAttempts = 20;
constexpr double kDeviations = 3.0;

}  // namespace

BadRows::BadRows(double max_fraction, BatchId start, EventSink* journal)
    : max_fraction_(max_fraction), journal_(journal), whole_epoch_(start.index == 0) {}

void BadRows::report(const BadRow& bad) {
  {
    const std::lock_guard lock(mutex_);
    latest_ = bad.reason;
    const auto [told, is_new] = reported_.try_emplace(bad.item, bad.batch.epoch);
    if (!is_new && told->second >= bad.batch.epoch) {
      return;
    }
    told->second = bad.batch.epoch;
  }
  if (journal_ != nullptr) {
    journal_->record({.kind = "bad_utterance",
                      .fields = {{"epoch", bad.batch.epoch},
                                 {"batch", bad.batch.index},
                                 {"row", bad.row},
                                 {"item", bad.item},
                                 {"file", bad.file},
                                 {"reason", bad.reason}}});
  }
}

std::optional<Error> BadRows::count(const PublishedBatch& batch) {
  const std::lock_guard lock(mutex_);
  attempts_ += batch.rows + batch.failures;
  failures_ += batch.failures;
  if (is_too_many(batch.last_of_epoch && whole_epoch_)) {
    return Error(
        "bad utterances: {} of {} ({:.1f} %) in epoch {}; expected at most {:.1f} % "
        "(max_bad_fraction); the latest: {}; try `qanat data check`, which lists them all",
        failures_,
        attempts_,
        100.0 * static_cast<double>(failures_) / static_cast<double>(attempts_),
        batch.id.epoch,
        100.0 * max_fraction_,
        latest_);
  }
  if (batch.last_of_epoch) {
    attempts_ = 0;
    failures_ = 0;
    whole_epoch_ = true;
  }
  return std::nullopt;
}

bool BadRows::is_too_many(bool end_of_epoch) const {
  const auto failures = static_cast<double>(failures_);
  const double expected = max_fraction_ * static_cast<double>(attempts_);
  if (end_of_epoch || max_fraction_ == 0.0) {
    return failures > expected;
  }
  const double deviation = std::sqrt(expected * (1.0 - max_fraction_));
  return attempts_ >= kLeastAttempts && failures > expected + kDeviations * deviation + 1.0;
}

}  // namespace qanat
