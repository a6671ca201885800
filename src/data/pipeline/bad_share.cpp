#include "pipeline/bad_share.h"

#include <cmath>
#include <utility>

namespace qanat {
namespace {

constexpr double kDeviations = 3.0;

}  // namespace

std::optional<CountedRows> BadShare::add(const CountedRows& batch, Place place) {
  epoch_.rows += batch.rows;
  epoch_.bad += batch.bad;
  ++batches_;
  bad_shares_ += static_cast<double>(batch.bad) / static_cast<double>(batch.rows);
  const bool is_last = place == Place::last_of_epoch;
  if (is_too_many(is_last && whole_epoch_)) {
    return epoch_;
  }
  if (is_last) {
    epoch_ = {};
    batches_ = 0;
    bad_shares_ = 0;
    whole_epoch_ = true;
  }
  return std::nullopt;
}

bool BadShare::is_too_many(bool end_of_epoch) const {
  if (end_of_epoch || max_fraction_ == 0.0) {
    return static_cast<double>(epoch_.bad) > max_fraction_ * static_cast<double>(epoch_.rows);
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
