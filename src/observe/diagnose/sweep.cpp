#include "diagnose/sweep.h"

#include <algorithm>
#include <cmath>

#include "diagnose/intervals.h"

namespace qanat {
namespace {

bool is_eligible(const SweepCell& cell, int batch, const SweepLimits& limits) {
  return cell.batch == batch && cell.workers <= limits.max_workers && !cell.rates.empty();
}

std::optional<std::size_t> fastest(std::span<const SweepCell> cells,
                                   int batch,
                                   const SweepLimits& limits) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (is_eligible(cells[i], batch, limits) &&
        (!best || rate_of(cells[i]).rate > rate_of(cells[*best]).rate)) {
      best = i;
    }
  }
  return best;
}

bool is_as_good(const SweepCell& cell, const SweepCell& best) {
  const CellRate a = rate_of(cell);
  const CellRate b = rate_of(best);
  const double noise = 1.645 * std::hypot(a.error, b.error) / b.rate;
  return a.rate >= (1 - std::clamp(noise, kMinTolerance, kMaxTolerance)) * b.rate;
}

// Fewest workers, then least memory, then the higher rate.
bool is_leaner(const SweepCell& a, const SweepCell& b) {
  if (a.workers != b.workers) {
    return a.workers < b.workers;
  }
  if (a.memory != b.memory) {
    return a.memory < b.memory;
  }
  return rate_of(a).rate > rate_of(b).rate;
}

std::optional<BatchOffer> better_batch(std::span<const SweepCell> cells,
                                       const SweepCell& chosen,
                                       const SweepLimits& limits) {
  std::optional<BatchOffer> offer;
  const double rate = rate_of(chosen).rate;
  for (const SweepCell& cell : cells) {
    if (cell.batch == limits.batch || !is_eligible(cell, cell.batch, limits)) {
      continue;
    }
    const CellRate other = rate_of(cell);
    const double speedup = other.rate / rate;
    const bool certain = other.ci95.low > rate_of(chosen).ci95.high;
    if (certain && speedup > 1 + kMaxTolerance && (!offer || speedup > offer->speedup)) {
      offer = BatchOffer{.batch = cell.batch, .workers = cell.workers, .speedup = speedup};
    }
  }
  return offer;
}

}  // namespace

CellRate rate_of(const SweepCell& cell) {
  CellRate result;
  if (cell.rates.empty()) {
    return result;
  }
  result.rate = mean(cell.rates);
  result.ci95 = {.low = 0, .high = 2 * result.rate};
  if (cell.rates.size() < 2 || result.rate <= 0) {
    return result;
  }
  result.error = standard_deviation(cell.rates) / std::sqrt(static_cast<double>(cell.rates.size()));
  const double reach = student_quantile(cell.rates.size() - 1) * result.error;
  result.ci95 = {.low = result.rate - reach, .high = result.rate + reach};
  result.half_width = reach / result.rate;
  return result;
}

std::optional<SweepChoice> choose_cell(std::span<const SweepCell> cells,
                                       const SweepLimits& limits) {
  const std::optional<std::size_t> best = fastest(cells, limits.batch, limits);
  if (!best) {
    return std::nullopt;
  }
  SweepChoice choice{.cell = *best, .best = *best};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (is_eligible(cells[i], limits.batch, limits) && is_as_good(cells[i], cells[*best]) &&
        is_leaner(cells[i], cells[choice.cell])) {
      choice.cell = i;
    }
  }
  choice.of_best = rate_of(cells[choice.cell]).rate / rate_of(cells[*best]).rate;
  choice.larger_batch = better_batch(cells, cells[choice.cell], limits);
  return choice;
}

std::optional<double> control_drift(const SweepCell& control) {
  if (control.rates.size() < 4) {
    return std::nullopt;
  }
  const std::span<const double> rates(control.rates);
  const std::size_t half = rates.size() / 2;
  return mean(rates.last(half)) / mean(rates.first(half)) - 1;
}

}  // namespace qanat
