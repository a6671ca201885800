#include "evaluate/time_warp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace qanat {
namespace {

enum class Step : std::uint8_t { left, right, both };

// The frames of the right clip that a frame of the left one may belong to.
struct Columns {
  std::size_t begin = 0;
  std::size_t end = 0;
};

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(sum);
}

// The best path inside a band whose ends do not go back, from row to row.
class BandWarp {
 public:
  BandWarp(const Frames& left, const Frames& right, std::vector<Columns> band)
      : left_(left), right_(right), band_(std::move(band)) {
    std::size_t cells = 0;
    for (const Columns& columns : band_) {
      starts_.push_back(cells);
      cells += columns.end - columns.begin;
    }
    steps_.resize(cells);
  }

  std::vector<FramePair> path() {
    for (std::size_t row = 0; row < band_.size(); ++row) {
      fill(row);
    }
    std::vector<FramePair> result;
    std::size_t row = band_.size() - 1;
    std::size_t column = right_.count() - 1;
    for (;;) {
      result.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)});
      if (row == 0 && column == 0) {
        break;
      }
      const Step step = steps_[starts_[row] + column - band_[row].begin];
      row -= step == Step::right ? 0 : 1;
      column -= step == Step::left ? 0 : 1;
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  static constexpr double kOutside = std::numeric_limits<double>::max();  // above every cost

  void fill(std::size_t row) {
    const Columns here = band_[row];
    const Columns above = row == 0 ? Columns{} : band_[row - 1];
    std::vector<double> costs(here.end - here.begin);
    const auto cost_above = [&](std::size_t column) {
      return column >= above.begin && column < above.end ? costs_[column - above.begin] : kOutside;
    };
    for (std::size_t column = here.begin; column < here.end; ++column) {
      const std::size_t cell = column - here.begin;
      const double from_left = cost_above(column);
      const double from_right = cell > 0 ? costs[cell - 1] : kOutside;
      const double from_both = column > 0 ? cost_above(column - 1) : kOutside;
      Step step = from_left <= from_right ? Step::left : Step::right;
      double best = std::min(from_left, from_right);
      if (from_both < best) {
        step = Step::both;
        best = from_both;
      }
      const bool is_first = row == 0 && column == 0;
      costs[cell] = (is_first ? 0 : best) + distance(left_.row(row), right_.row(column));
      steps_[starts_[row] + cell] = step;
    }
    costs_ = std::move(costs);
  }

  const Frames& left_;
  const Frames& right_;
  std::vector<Columns> band_;
  std::vector<std::size_t> starts_;  // of each row in steps_
  std::vector<Step> steps_;
  std::vector<double> costs_;  // of the row above
};

std::vector<double> halved(const Frames& frames) {
  const std::size_t count = frames.count() / 2;
  std::vector<double> result(count * frames.size);
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t k = 0; k < frames.size; ++k) {
      result[f * frames.size + k] =
          (frames.values[2 * f * frames.size + k] + frames.values[(2 * f + 1) * frames.size + k]) /
          2;
    }
  }
  return result;
}

// A path of half the resolution, widened by `radius` of its own frames.
std::vector<Columns> band_around(const std::vector<FramePair>& path,
                                 std::size_t rows,
                                 std::size_t columns,
                                 std::size_t radius) {
  std::vector<Columns> band(rows, {.begin = columns, .end = 0});
  for (const FramePair& pair : path) {
    const std::size_t first_row = pair.left > radius ? 2 * (pair.left - radius) : 0;
    const std::size_t end_row = std::min(rows, 2 * (pair.left + radius + 1));
    const std::size_t first = pair.right > radius ? 2 * (pair.right - radius) : 0;
    const std::size_t end = std::min(columns, 2 * (pair.right + radius + 1));
    for (std::size_t row = first_row; row < end_row; ++row) {
      band[row].begin = std::min(band[row].begin, first);
      band[row].end = std::max(band[row].end, end);
    }
  }
  return band;
}

std::vector<FramePair> exact_path(const Frames& left, const Frames& right) {
  return BandWarp(
             left, right, std::vector<Columns>(left.count(), {.begin = 0, .end = right.count()}))
      .path();
}

}  // namespace

std::vector<FramePair> warp_path(const Frames& left, const Frames& right, std::size_t radius) {
  QANAT_CHECK(radius >= 1 && left.size == right.size) << "radius " << radius;
  if (left.count() == 0 || right.count() == 0) {
    return {};
  }
  if (std::min(left.count(), right.count()) < radius + 2) {
    return exact_path(left, right);
  }
  const std::vector<double> coarse_left = halved(left);
  const std::vector<double> coarse_right = halved(right);
  const std::vector<FramePair> coarse =
      warp_path({.values = coarse_left, .size = left.size, .skip = left.skip},
                {.values = coarse_right, .size = right.size, .skip = right.skip},
                radius);
  return BandWarp(left, right, band_around(coarse, left.count(), right.count(), radius)).path();
}

}  // namespace qanat
