// Journals and counts utterances that could not be loaded, and stops the run when there are too
// many.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "batch/batch.h"
#include "batch/bucket_edges.h"
#include "metrics/journal.h"
#include "pipeline/bad_share.h"
#include "pipeline/batch_assembler.h"

namespace qanat {

struct BadRow {
  BatchId batch;
  int row = 0;
  std::uint32_t item = 0;
  std::string file;
  MessageArg reason;
};

// Called by the worker that filled the row with something else; must not block.
using BadRowFn = std::function<void(const BadRow&)>;

// Thread-safe. Counting follows the plan's order, so that a run stops at the same batch whatever
// the number of workers.
class BadRows {
 public:
  // `start` is the first batch that will be counted, `order` the one that batches come in.
  // `journal` may be absent.
  BadRows(double max_fraction, ItemOrder order, BatchId start, EventSink* journal);

  // Journals a `bad_utterance` event, once per file and epoch.
  void report(const BadRow& bad);

  // The reason to stop, when the share of this epoch's utterances that are bad is above the limit:
  // see BadShare.
  std::optional<Error> count(const PublishedBatch& batch);

 private:
  const double max_fraction_;
  EventSink* const journal_;
  std::mutex mutex_;                                          // guards everything below
  std::unordered_map<std::uint32_t, std::int64_t> reported_;  // item -> last epoch it was told in
  MessageArg latest_ = "";                                    // for the error message
  BadShare share_;
};

}  // namespace qanat
