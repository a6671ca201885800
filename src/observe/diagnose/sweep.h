// Which number of workers to use, from measured rates: the fewest that are as good as the best.
//
// The highest rate alone is mostly luck among equals, and asks for far too many workers; time per
// batch alone always favours the smallest batch. So the measure is speech delivered per second,
// and a batch size is only compared, never recommended: it changes what is learnt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/order_statistics.h"

namespace qanat {

// One setting and what was measured with it.
struct SweepCell {
  int batch = 0;
  int workers = 0;
  std::vector<double> rates{};   // seconds of speech delivered per second, one per visit
  std::int64_t memory = 0;       // bytes of batches held at most; 0: not measured
  std::optional<double> wait{};  // share of a paced consumer's time
};

struct CellRate {
  double rate = 0;  // mean over the visits
  Range ci95{};
  double error = 0;       // standard error of the mean
  double half_width = 1;  // of the interval, relative to the rate; 1 when one visit says nothing
};

CellRate rate_of(const SweepCell& cell);

// A cell was measured well enough.
inline constexpr double kEnoughHalfWidth = 0.02;

// Cells count as equal to the best within 1.645 standard errors of the difference, at least the
// first and at most the second of these shares.
inline constexpr double kMinTolerance = 0.02;
inline constexpr double kMaxTolerance = 0.03;

struct SweepLimits {
  int batch = 0;        // that the run uses
  int max_workers = 1;  // cores allowed, less those of the trainer
};

// A batch size that delivers more than the one in use, and by how much.
struct BatchOffer {
  int batch = 0;
  int workers = 0;
  double speedup = 1;
};

struct SweepChoice {
  std::size_t cell = 0;                      // index of the recommended one
  std::size_t best = 0;                      // index of the fastest one with this batch size
  double of_best = 1;                        // its rate over that of the fastest
  std::optional<BatchOffer> larger_batch{};  // to be reported, not applied
};

// A sweep as it was made: cells in the order they were planned.
struct SweepReport {
  std::vector<SweepCell> cells{};
  SweepLimits limits{};
  std::size_t control = 0;       // index of the cell that was visited in every round
  std::optional<double> step{};  // s, of a paced consumer; absent: as fast as it goes
  double seconds = 0;            // spent
  bool complete = false;         // every cell was measured well enough
  std::optional<SweepChoice> choice{};
};

// Nothing when no cell of this batch size within the limit was measured.
std::optional<SweepChoice> choose_cell(std::span<const SweepCell> cells, const SweepLimits& limits);

// How far the control cell, measured in every round, moved from its first visits to its last: the
// machine changed by that much, whatever the settings. Nothing with fewer than four visits.
std::optional<double> control_drift(const SweepCell& control);

}  // namespace qanat
