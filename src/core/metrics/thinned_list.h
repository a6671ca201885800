// A list of any length in bounded memory: its first value, its newest, and of those between every
// second, fourth, eighth, ... as many as there is room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace qanat {

// A value. Not thread-safe.
template <typename T>
class ThinnedList {
 public:
  // `most`, an even number, beside the newest.
  explicit ThinnedList(std::size_t most) : most_(most) {}

  void add(T value) {
    newest_.reset();
    if (seen_++ % stride_ != 0) {
      newest_ = std::move(value);
      return;
    }
    kept_.push_back(std::move(value));
    if (kept_.size() > most_) {
      thin_out();
    }
  }

  // In their order.
  void visit(const auto& visit) const {
    for (const T& value : kept_) {
      visit(value);
    }
    if (newest_) {
      visit(*newest_);
    }
  }

 private:
  // There is one more than `most_`: the last one stays.
  void thin_out() {
    for (std::size_t i = 1; 2 * i < kept_.size(); ++i) {
      kept_[i] = std::move(kept_[2 * i]);
    }
    kept_.resize(most_ / 2 + 1);
    stride_ *= 2;
  }

  std::size_t most_;
  std::int64_t stride_ = 1;
  std::int64_t seen_ = 0;
  std::vector<T> kept_;
  std::optional<T> newest_;  // unless it is kept
};

}  // namespace qanat
