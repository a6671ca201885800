#include "pipeline/bad_rows.h"

#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"

namespace qanat {

BadRows::BadRows(double max_fraction, ItemOrder order, BatchId start, EventSink* journal)
    : max_fraction_(max_fraction),
      journal_(journal),
      share_(max_fraction,
             order,
             start.index == 0 ? BadShare::Start::of_epoch : BadShare::Start::inside_epoch) {}

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
  const std::optional<CountedRows> bad =
      share_.add({.rows = batch.rows, .bad = batch.bad_rows},
                 batch.last_of_epoch ? BadShare::Place::last_of_epoch : BadShare::Place::inside);
  if (!bad) {
    return std::nullopt;
  }
  return Error(to_failure(msg::batch_too_many_bad{
      .bad = bad->bad,
      .rows = bad->rows,
      .share = in_percent(static_cast<double>(bad->bad) / static_cast<double>(bad->rows), 1),
      .epoch = batch.id.epoch,
      .most = in_percent(max_fraction_, 1),
      .latest = latest_}));
}

}  // namespace qanat
