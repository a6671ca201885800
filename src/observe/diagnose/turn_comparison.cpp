#include "diagnose/turn_comparison.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "diagnose/intervals.h"
#include "locale/messages/profiles.h"

namespace qanat {
namespace {

// What the rounds that count say, as logarithms.
struct Rounds {
  std::vector<double> ratios;     // as measured
  std::vector<double> now;        // rates
  std::vector<double> before;     // rates
  std::vector<double> explained;  // by the time the device did not work
  double others = 0;              // sum over these rounds and both ways, of the cores
  std::size_t busy = 0;           // rounds left out
  double most_others = 0;         // of the cores, in one of these
};

Rounds rounds_of(std::span<const Turn> now, std::span<const Turn> before) {
  Rounds rounds;
  for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
    const Turn& a = now[i];
    const Turn& b = before[i];
    const double others = std::max(a.others_share.value_or(0), b.others_share.value_or(0));
    if (others > kMaxOthersShare) {
      ++rounds.busy;
      rounds.most_others = std::max(rounds.most_others, others);
    } else if (a.rate > 0 && b.rate > 0 && a.idle_share < 1 && b.idle_share < 1) {
      rounds.ratios.push_back(std::log(a.rate / b.rate));
      rounds.now.push_back(std::log(a.rate));
      rounds.before.push_back(std::log(b.rate));
      rounds.others += a.others_share.value_or(0) + b.others_share.value_or(0);
      rounds.explained.push_back(std::log((1 - a.idle_share) / (1 - b.idle_share)));
    }
  }
  return rounds;
}

// Half of the 95 % interval. Three rounds may agree by luck, so each way has to agree with itself
// as well; and what other programs took in the rounds that count may have cost one way as much.
double half_interval(const Rounds& rounds) {
  const auto count = static_cast<double>(rounds.ratios.size());
  const std::size_t freedom = rounds.ratios.size() - 1;
  const double of_ratios = student_quantile(freedom) * standard_deviation(rounds.ratios);
  const double of_ways =
      student_quantile(2 * freedom) *
      std::hypot(standard_deviation(rounds.now), standard_deviation(rounds.before));
  return std::max(of_ratios, of_ways) / std::sqrt(count) + rounds.others / count;
}

Message too_few(const Rounds& rounds) {
  if (rounds.busy > 0) {
    return msg::turns_busy_machine{.share = in_percent(rounds.most_others),
                                   .busy = rounds.busy,
                                   .rounds = rounds.busy + rounds.ratios.size()};
  }
  return msg::turns_too_few{.rounds = rounds.ratios.size(), .needed = kMinRounds};
}

// Nothing: the time the device did not work, and the cores it has, explain the ratio.
std::optional<Message> unexplained(double ratio, double explained, double cores) {
  const double work = ratio / explained;
  if (work <= kMaxWorkChange * std::max(1.0, cores) &&
      work >= std::min(1.0, cores) / kMaxWorkChange) {
    return std::nullopt;
  }
  return msg::turns_unexplained{.ratio = times(ratio), .explained = times(explained)};
}

}  // namespace

RunComparison compare_turns(std::span<const Turn> now, std::span<const Turn> before) {
  const Rounds rounds = rounds_of(now, before);
  if (rounds.ratios.size() < kMinRounds) {
    return {.withheld = too_few(rounds)};
  }
  const double centre = mean(rounds.ratios);
  const double half = half_interval(rounds);
  RunComparison result{.ratio = std::exp(centre),
                       .ci95 = {.low = std::exp(centre - half), .high = std::exp(centre + half)}};
  result.withheld = unexplained(
      result.ratio,
      std::exp(mean(rounds.explained)),
      static_cast<double>(now[0].device_cores) / static_cast<double>(before[0].device_cores));
  if (!result.withheld) {
    result.change = change_of(result.ci95);
  }
  return result;
}

}  // namespace qanat
