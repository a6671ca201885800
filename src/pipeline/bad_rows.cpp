#include "pipeline/bad_rows.h"

#include <cmath>

#include "locale/message_error.h"
#include "locale/messages.h"

namespace qanat {
namespace {

constexpr double kDeviations = 3.0;

}  // namespace

BadRows::BadRows(double max_fraction, ItemOrder order, BatchId start, EventSink* journal)
    : max_fraction_(max_fraction),
      order_(order),
      journal_(journal),
      whole_epoch_(start.index == 0) {}

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
    journal_->record(BadUtterance{.epoch = bad.batch.epoch,
                                  .batch = bad.batch.index,
                                  .row = bad.row,
                                  .item = bad.item,
                                  .file = bad.file,
                                  .reason = Translator().said(bad.reason)});
  }
}

std::optional<Error> BadRows::count(const PublishedBatch& batch) {
  const std::lock_guard lock(mutex_);
  rows_ += batch.rows;
  bad_ += batch.bad_rows;
  ++batches_;
  bad_shares_ += static_cast<double>(batch.bad_rows) / static_cast<double>(batch.rows);
  if (is_too_many(batch.last_of_epoch && whole_epoch_)) {
    return Error(to_failure(msg::batch_too_many_bad{
        .bad = bad_,
        .rows = rows_,
        .share = in_percent(static_cast<double>(bad_) / static_cast<double>(rows_), 1),
        .epoch = batch.id.epoch,
        .most = in_percent(max_fraction_, 1),
        .latest = latest_}));
  }
  if (batch.last_of_epoch) {
    rows_ = 0;
    bad_ = 0;
    batches_ = 0;
    bad_shares_ = 0;
    whole_epoch_ = true;
  }
  return std::nullopt;
}

bool BadRows::is_too_many(bool end_of_epoch) const {
  if (end_of_epoch || max_fraction_ == 0.0) {
    return static_cast<double>(bad_) > max_fraction_ * static_cast<double>(rows_);
  }
  if (order_ != ItemOrder::shuffled) {
    return false;  // the first batches are not a random sample
  }
  // Upper bound of the standard deviation for any distribution of shares between 0 and 1.
  const auto batches = static_cast<double>(batches_);
  const double deviation = std::sqrt(batches * max_fraction_ * (1.0 - max_fraction_));
  return bad_shares_ > max_fraction_ * batches + kDeviations * deviation + 1.0;
}

}  // namespace qanat
