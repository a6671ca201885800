// Journals and counts utterances that could not be loaded, and stops the run when there are too
// many.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "batch/batch.h"
#include "batch/bucket_edges.h"
#include "metrics/journal.h"
#include "pipeline/batch_assembler.h"

namespace qanat {

struct BadRow {
  BatchId batch;
  int row = 0;
  std::uint32_t item = 0;
  std::string file;
  MessageArg reason;
};

// Thread-safe. Counting follows the plan's order, so that a run stops at the same batch whatever
// the number of workers.
class BadRows {
 public:
  // `start` is the first batch that will be counted, `order` the one that batches come in.
  // `journal` may be absent.
  BadRows(double max_fraction, ItemOrder order, BatchId start, EventSink* journal);

  // Journals a `bad_utterance` event, once per file and epoch.
  void report(const BadRow& bad);

  // The reason to stop, when the share of this epoch's utterances that are bad is above the limit.
  // An utterance counts where it was planned, so that each counts once; substitutes do not, since
  // they have (or had) their own row. At the end of an epoch the limit is exact. Before that, a run
  // stops when chance cannot explain the share (three standard deviations). The unit is then a
  // batch, because damaged utterances often have one length and so come in few batches.
  std::optional<Error> count(const PublishedBatch& batch);

 private:
  bool is_too_many(bool end_of_epoch) const;

  const double max_fraction_;
  const ItemOrder order_;
  EventSink* const journal_;
  std::mutex mutex_;                                          // guards everything below
  std::unordered_map<std::uint32_t, std::int64_t> reported_;  // item -> last epoch it was told in
  MessageArg latest_ = "";                                    // for the error message
  bool whole_epoch_;  // the epoch being counted was counted from its first batch
  std::int64_t rows_ = 0;
  std::int64_t bad_ = 0;  // of rows_
  std::int64_t batches_ = 0;
  double bad_shares_ = 0;  // of the rows of each batch, added up
};

}  // namespace qanat
