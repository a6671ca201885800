// Does something happen every so many steps? A fold test, calibrated on shuffles of the series.
//
// Trend, level shift and the resemblance of neighbours are taken out first, and outliers bounded:
// a scan of correlations takes all of those for a period. Every period that has at least six cycles
// is tested, and the chance of any false alarm among all of them is kExpectedFalseAlarms.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qanat {

inline constexpr double kExpectedFalseAlarms = 0.01;

struct PeriodicPattern {
  std::size_t period = 0;         // steps
  std::size_t phase = 0;          // position of the longest steps: index % period
  double excess_seconds = 0;      // that one such step takes more
  double seconds_per_step = 0;    // lost, spread over all steps
  std::vector<double> profile{};  // mean time by phase, [period]
};

struct Periodicity {
  std::size_t longest_tested = 0;  // periods from 2 to this; 0: too few steps to test
  double p_value = 1;
  std::optional<PeriodicPattern> pattern{};
  std::vector<double> autocorrelation{};  // lags 1..20, for showing, never for deciding
};

// Takes work-adjusted times without warm-up.
Periodicity test_periodicity(std::span<const double> step_seconds);

// Something that is known to happen every `period` steps.
struct Cadence {
  std::string name;  // "training.save_every"
  std::size_t period = 0;
};

// The cadence that explains a period; nothing when none does.
std::optional<Cadence> match_cadence(std::size_t period, std::span<const Cadence> cadences);

}  // namespace qanat
