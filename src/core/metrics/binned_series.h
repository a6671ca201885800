// A series of any length in bounded memory: bins that each cover as many values as are needed for
// all to fit. When they run out, neighbours join and every bin covers twice as much.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qanat {

// What a bin keeps of plain numbers: nothing between least and greatest is hidden.
struct Envelope {
  double low = 0;
  double high = 0;
  double sum = 0;

  static Envelope of(double value) { return {.low = value, .high = value, .sum = value}; }
  Envelope& operator+=(const Envelope& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    sum += other.sum;
    return *this;
  }
};

template <typename Content>
struct Bin {
  double first = 0;  // x of the first and of the last value
  double last = 0;
  std::int64_t count = 0;
  Content content{};

  double middle() const { return (first + last) / 2; }
  double mean() const requires requires { content.sum; }
  { return content.sum / static_cast<double>(count); }
};

// Values come in the order of x. Not thread-safe.
template <typename Content>
class BinnedSeries {
 public:
  static constexpr std::size_t kMaxBins = 400;  // an even number

  void add(double x, const Content& content) {
    add({.first = x, .last = x, .count = 1, .content = content});
  }
  // Values that were joined elsewhere: what follows is joined to as many, so that all bins stay
  // alike.
  void add(const Bin<Content>& values) {
    per_bin_ = std::max(per_bin_, values.count);
    if (bins_.empty() || bins_.back().count >= per_bin_) {
      make_room();
      bins_.push_back(values);
    } else {
      bins_.back() = joined(bins_.back(), values);
    }
  }
  // Takes back what began at `x` or later.
  void forget_from(double x) {
    while (!bins_.empty() && bins_.back().first >= x) {
      bins_.pop_back();
    }
  }

  std::span<const Bin<Content>> bins() const { return bins_; }
  bool empty() const { return bins_.empty(); }

 private:
  void make_room() {
    if (bins_.size() < kMaxBins) {
      return;
    }
    for (std::size_t i = 0; i < kMaxBins / 2; ++i) {
      bins_[i] = joined(bins_[2 * i], bins_[2 * i + 1]);
    }
    bins_.resize(kMaxBins / 2);
    per_bin_ *= 2;
  }

  static Bin<Content> joined(Bin<Content> left, const Bin<Content>& right) {
    left.last = right.last;
    left.count += right.count;
    left.content += right.content;
    return left;
  }

  std::vector<Bin<Content>> bins_;
  std::int64_t per_bin_ = 1;
};

using EnvelopeSeries = BinnedSeries<Envelope>;

// The same in at most `most` bins: for tables.
template <typename Content>
std::vector<Bin<Content>> joined_to(std::span<const Bin<Content>> bins, std::size_t most) {
  const std::size_t group = (bins.size() + most - 1) / most;
  std::vector<Bin<Content>> joined;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (i % group == 0) {
      joined.push_back(bins[i]);
      continue;
    }
    Bin<Content>& bin = joined.back();
    bin.last = bins[i].last;
    bin.count += bins[i].count;
    bin.content += bins[i].content;
  }
  return joined;
}

}  // namespace qanat
