// How many of an epoch's utterances were bad so far, and whether that is too many. A value.
#pragma once

#include <cstdint>
#include <optional>

#include "batch/bucket_edges.h"

namespace qanat {

// Rows of one batch, or of the batches of one update.
struct CountedRows {
  std::int64_t rows = 0;
  std::int64_t bad = 0;  // of these: whose planned utterance failed
};

// An utterance counts where it was planned, so that each counts once; substitutes do not, since
// they have (or had) their own row. At the end of an epoch the limit is exact. Before that, there
// are too many when chance cannot explain the share (three standard deviations). The unit is then a
// batch, because damaged utterances often have one length and so come in few batches.
class BadShare {
 public:
  enum class Start { of_epoch, inside_epoch };
  BadShare(double max_fraction, ItemOrder order, Start start)
      : max_fraction_(max_fraction), order_(order), whole_epoch_(start == Start::of_epoch) {}

  // Those of the epoch so far when they are too many, else nothing.
  enum class Place { inside, last_of_epoch };
  std::optional<CountedRows> add(const CountedRows& batch, Place place);

 private:
  bool is_too_many(bool end_of_epoch) const;

  double max_fraction_;
  ItemOrder order_;
  bool whole_epoch_;  // the epoch being counted was counted from its first batch
  CountedRows epoch_{};
  std::int64_t batches_ = 0;
  double bad_shares_ = 0;  // of the rows of each batch, added up
};

}  // namespace qanat
