// How a batch is cut into microbatches: as asked for, and as memory was found to allow.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "batch/bucket_edges.h"
#include "metrics/journal.h"
#include "train/train_task.h"

namespace qanat {

// The most rows of a shape that fitted, for shapes of which not all did. Thread-safe.
class FittingRows {
 public:
  // `max_rows`: that are asked to be computed at once; 0: any number.
  explicit FittingRows(int max_rows = 0) : max_rows_(max_rows) {}

  // As asked, whatever fits: as many parts as a batch of `full_rows` has, so a short one is divided
  // as processes divide it.
  std::vector<RowRange> asked(int rows, int full_rows) const;
  // Splits these until every microbatch is known to fit, or has not been tried.
  std::vector<RowRange> microbatches(const BatchShape& shape, int full_rows) const;
  void remember(const BatchShape& shape, int rows);

 private:
  void split(const BatchShape& shape, RowRange rows, std::vector<RowRange>& all) const;

  const int max_rows_;
  mutable std::mutex mutex_;                 // guards most_
  std::map<std::pair<int, int>, int> most_;  // rows by frames and tokens
};

// Rows of a shape that are split until they fit.
struct RowSplit {
  const TaskRows& rows;
  std::size_t phases;
  const GradientOptions& options;
  const BatchShape& shape;
  FittingRows& fitting;
  EventSink* journal;
  const torch::Tensor& sums;
};

// Computes the gradient of `rows`, in halves where they do not fit. Throws MessageError when not
// even one row does.
void run_or_split(const RowSplit& split, RowRange rows);
// The same for rows that were found not to fit, and why.
void split_rows(const RowSplit& split, RowRange rows, const std::string& why);

}  // namespace qanat
