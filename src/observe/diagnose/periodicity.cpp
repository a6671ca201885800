#include "diagnose/periodicity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "diagnose/detrend.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

// Ranks turned into the values a normal sample would have there: keeps the order, bounds outliers.
// The value below which a standard normal lies with probability `share`, in (0, 1).
double normal_quantile(double share) {
  // Newton's method on the distribution function; it is smooth and a few steps are exact.
  double x = 0;
  for (int i = 0; i < 60; ++i) {
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - share;
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    // Far out the density vanishes: no step longer than one.
    const double step = std::clamp(error / std::max(density, 1e-300), -1.0, 1.0);
    x -= step;
    if (std::abs(step) < 1e-12) {
      break;
    }
  }
  return x;
}

std::vector<double> normal_scores(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [values](std::size_t i) { return values[i]; });
  std::vector<double> scores(values.size());
  const double count = static_cast<double>(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;  // of a run of equal values, which share one score
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
      ++last;
    }
    const double rank = 0.5 * static_cast<double>(first + last) + 0.5;
    const double score = normal_quantile(rank / count);
    for (; first <= last; ++first) {
      scores[order[first]] = score;
    }
  }
  return scores;
}

constexpr std::size_t kMinCycles = 6;
constexpr std::size_t kLongestPeriod = 200;
constexpr std::size_t kMaxSteps = 2000;  // the last ones of longer series
constexpr int kPeriodShuffles = 199;
constexpr std::size_t kShownLags = 20;

double correlation_at(std::span<const double> values, std::size_t lag) {
  const double centre = mean(values);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - centre) * (values[i] - centre);
    if (i >= lag) {
      products += (values[i] - centre) * (values[i - lag] - centre);
    }
  }
  return squares > 0 ? products / squares : 0;
}

// Takes out how much a step resembles the one before, when it does; scaled to deviation 1.
std::vector<double> whiten(std::vector<double> values) {
  const double memory = correlation_at(values, 1);
  if (std::abs(memory) > 1.96 / std::sqrt(static_cast<double>(values.size()))) {
    for (std::size_t i = values.size() - 1; i > 0; --i) {
      values[i] -= memory * values[i - 1];
    }
    values.front() = 0;
  }
  const double centre = mean(values);
  const double deviation = std::max(standard_deviation(values), 1e-12);
  for (double& value : values) {
    value = (value - centre) / deviation;
  }
  return values;
}

// How far the phases of one period differ: over all of them, and in their greatest.
struct FoldScore {
  double phases = 0;
  double peak = 0;
};

// `sums` is scratch memory, so that thousands of folds cost no allocation.
FoldScore fold(std::span<const double> values, std::size_t period, std::vector<double>& sums) {
  sums.assign(period, 0.0);
  std::size_t phase = 0;
  for (const double value : values) {
    sums[phase] += value;
    phase = phase + 1 == period ? 0 : phase + 1;
  }
  FoldScore score;
  double between = 0;
  for (std::size_t j = 0; j < period; ++j) {
    const std::size_t turns = (values.size() - j + period - 1) / period;
    const auto count = static_cast<double>(turns);
    between += sums[j] * sums[j] / count;
    score.peak = std::max(score.peak, sums[j] / std::sqrt(count));
  }
  const double freedom = static_cast<double>(period - 1);
  score.phases = (between - freedom) / std::sqrt(2 * freedom);
  return score;
}

struct FoldMaximum {
  FoldScore score;
  std::size_t by_phases = 0;  // the period
  std::size_t by_peak = 0;
};

FoldMaximum fold_all(std::span<const double> values, std::size_t longest) {
  FoldMaximum most;
  std::vector<double> sums;
  for (std::size_t period = 2; period <= longest; ++period) {
    const FoldScore here = fold(values, period, sums);
    if (here.phases > most.score.phases) {
      most.score.phases = here.phases;
      most.by_phases = period;
    }
    if (here.peak > most.score.peak) {
      most.score.peak = here.peak;
      most.by_peak = period;
    }
  }
  return most;
}

struct Shuffled {
  std::vector<double> phases;
  std::vector<double> peak;
};

Shuffled shuffle_scores(std::vector<double> values, std::size_t longest) {
  std::mt19937_64 random(values.size());
  Shuffled scores;
  for (int i = 0; i < kPeriodShuffles; ++i) {
    std::ranges::shuffle(values, random);
    const FoldMaximum most = fold_all(values, longest);
    scores.phases.push_back(most.score.phases);
    scores.peak.push_back(most.score.peak);
  }
  return scores;
}

// The share of shuffles that reach `seen`.
double p_of(const std::vector<double>& shuffled, double seen) {
  const auto reached = std::ranges::count_if(shuffled, [seen](double s) { return s >= seen; });
  return static_cast<double>(reached + 1) / static_cast<double>(shuffled.size() + 1);
}

// How far `seen` lies above the shuffles, in their own deviations: tells which test sees more.
double distance(const std::vector<double>& shuffled, double seen) {
  return (seen - mean(shuffled)) / std::max(standard_deviation(shuffled), 1e-12);
}

// A period shows in its multiples and divisors, too: of these, the one that explains the most for
// the fewest phases (Bayes' information criterion).
std::size_t simplest_period(std::span<const double> scores,
                            std::size_t found,
                            std::size_t longest) {
  const double count = static_cast<double>(scores.size());
  std::vector<double> sums;
  std::size_t best = found;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t period = 2; period <= longest; ++period) {
    if (period % found != 0 && found % period != 0) {
      continue;
    }
    const double freedom = static_cast<double>(period - 1);
    const double between = fold(scores, period, sums).phases * std::sqrt(2 * freedom) + freedom;
    const double left = std::max(count - between, 1e-9);
    const double cost = count * std::log(left) + freedom * std::log(count);
    if (cost < least) {
      least = cost;
      best = period;
    }
  }
  return best;
}

PeriodicPattern describe(std::span<const double> seconds, std::size_t period) {
  PeriodicPattern pattern{.period = period, .profile = std::vector<double>(period, 0.0)};
  for (std::size_t j = 0; j < period; ++j) {
    std::vector<double> of_phase;
    for (std::size_t i = j; i < seconds.size(); i += period) {
      of_phase.push_back(seconds[i]);
    }
    pattern.profile[j] = mean(of_phase);
  }
  const double base = median(pattern.profile);
  const auto peak = std::ranges::max_element(pattern.profile);
  pattern.phase = static_cast<std::size_t>(peak - pattern.profile.begin());
  pattern.excess_seconds = *peak - base;
  for (const double time : pattern.profile) {
    pattern.seconds_per_step += std::max(0.0, time - base) / static_cast<double>(period);
  }
  return pattern;
}

}  // namespace

Periodicity test_periodicity(std::span<const double> step_seconds) {
  Periodicity result;
  const std::size_t skipped = step_seconds.size() > kMaxSteps ? step_seconds.size() - kMaxSteps : 0;
  const std::span<const double> tested = step_seconds.subspan(skipped);
  result.longest_tested = std::min(tested.size() / kMinCycles, kLongestPeriod);
  if (result.longest_tested < 2) {
    result.longest_tested = 0;
    return result;
  }
  for (std::size_t lag = 1; lag <= std::min(kShownLags, tested.size() / 2); ++lag) {
    result.autocorrelation.push_back(correlation_at(tested, lag));
  }
  const std::vector<double> flat = remove_trend(tested).values;
  const std::vector<double> scores = whiten(normal_scores(flat));
  const FoldMaximum seen = fold_all(scores, result.longest_tested);
  const Shuffled shuffled = shuffle_scores(scores, result.longest_tested);
  const double p_phases = p_of(shuffled.phases, seen.score.phases);
  const double p_peak = p_of(shuffled.peak, seen.score.peak);
  result.p_value = std::min(1.0, 2 * std::min(p_phases, p_peak));  // two tests were made
  if (result.p_value <= kExpectedFalseAlarms) {
    const bool pulse =
        distance(shuffled.peak, seen.score.peak) > distance(shuffled.phases, seen.score.phases);
    const std::size_t period =
        pulse ? seen.by_peak : simplest_period(scores, seen.by_phases, result.longest_tested);
    PeriodicPattern pattern = describe(flat, period);
    pattern.phase = (pattern.phase + skipped) % pattern.period;
    result.pattern = std::move(pattern);
  }
  return result;
}

std::optional<Cadence> match_cadence(std::size_t period, std::span<const Cadence> cadences) {
  const auto found = std::ranges::find(cadences, period, &Cadence::period);
  return found == cadences.end() ? std::nullopt : std::optional(*found);
}

}  // namespace qanat
