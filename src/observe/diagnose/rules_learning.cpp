// Rules about what a run learns, by its validations.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/intervals.h"
#include "diagnose/rule_parts.h"
#include "locale/messages/findings_learning.h"

namespace qanat {
namespace {

constexpr std::size_t kMinWorse = 3;  // validations in a row, so that one bad one is no finding
constexpr double kMinRise = 0.02;     // of the loss
constexpr double kMinFall = 0.01;     // of the training loss
constexpr int kMinClips = 4;

// Validations at the end of the run that are compared with the same one, which was better.
std::vector<SinceLowest> worse_in_a_row(const std::deque<ValidationDone>& validations) {
  std::vector<SinceLowest> worse;
  for (auto one = validations.rbegin(); one != validations.rend(); ++one) {
    const std::optional<SinceLowest>& since = one->since_lowest;
    if (!since || !(since->change > 0) || (!worse.empty() && since->step != worse.front().step)) {
      break;
    }
    worse.push_back(*since);
  }
  return worse;
}

// The least of the rise that is certain, had other clips been drawn.
double sure_rise(const SinceLowest& since) {
  const double margin = student_quantile(static_cast<std::size_t>(since.clips - 1)) * since.error;
  return (since.change - margin) / since.loss;
}

bool is_sure(const SinceLowest& since) {
  return since.clips >= kMinClips && since.loss > 0 && sure_rise(since) > 0;
}

// Mean of the training loss in the steps up to `end`, with its standard error.
struct MeanLoss {
  double mean = 0;
  double error = 0;
};

std::optional<MeanLoss> training_loss_until(const RunSummary& summary,
                                            std::int64_t end,
                                            std::int64_t steps) {
  std::vector<double> means;
  for (const Bin<Envelope>& bin : summary.training_loss.bins()) {
    const double at = bin.middle();
    if (at >= static_cast<double>(end - steps) && at < static_cast<double>(end)) {
      means.push_back(bin.mean());
    }
  }
  if (means.empty()) {
    return std::nullopt;
  }
  MeanLoss loss{.mean = mean(means)};
  double squares = 0;
  for (const double one : means) {
    squares += (one - loss.mean) * (one - loss.mean);
  }
  const auto count = static_cast<double>(means.size());
  loss.error = count > 1 ? std::sqrt(squares / (count * (count - 1))) : 0;
  return loss;
}

// By how much training got better between two validations; nothing where it did not, or the journal
// does not tell.
std::optional<double> training_fall(const RunSummary& summary,
                                    std::int64_t from,
                                    std::int64_t until) {
  constexpr std::int64_t kParts = 3;  // of the time between: the noise of a few steps is averaged
  if (summary.training_loss.empty()) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::int64_t>(summary.training_loss.bins().front().first);
  // A session that was resumed behind that step is compared with its own beginning.
  const std::int64_t first = std::max(from, begin);
  const std::int64_t steps = std::max<std::int64_t>((until - first) / kParts, 1);
  const std::int64_t early = from - begin >= steps ? from : begin + steps;
  const std::optional<MeanLoss> before = training_loss_until(summary, early, steps);
  const std::optional<MeanLoss> after = training_loss_until(summary, until, steps);
  if (!before || !after || !(before->mean > 0)) {
    return std::nullopt;
  }
  constexpr double kSure = 2;
  const double fall = before->mean - after->mean;
  const bool is_real =
      fall > kSure * std::hypot(before->error, after->error) && fall > kMinFall * before->mean;
  return is_real ? std::optional(fall / before->mean) : std::nullopt;
}

std::vector<Fix> against_overfitting(const RunSummary& summary) {
  std::vector<Fix> fixes{do_this(msg::lrn001_use_best{})};
  if (!configured(summary, "training.early_stopping_patience")) {
    fixes.push_back(set_key("training.early_stopping_patience", static_cast<int>(kMinWorse)));
  }
  fixes.push_back(do_this(msg::lrn001_more_speech{}));
  return fixes;
}

// Withheld where other clips might say the opposite, or where training did not get better.
RuleOutcome overfitting(const RuleInput& input) {
  const RunSummary& summary = input.summary;
  const ValidationDone& last = summary.validations.back();
  const SinceLowest since = *last.since_lowest;
  const std::vector<SinceLowest> worse = worse_in_a_row(summary.validations);
  const double rise = since.loss > 0 ? since.change / since.loss : 0;
  if (!(rise >= kMinRise) || worse.size() < kMinWorse) {
    return passed(msg::lrn001_ok{});
  }
  if (last.best) {
    return passed(msg::lrn001_still_best{.rise = in_percent(rise), .step = since.step});
  }
  if (!std::ranges::all_of(worse.begin(), worse.begin() + kMinWorse, is_sure)) {
    return skipped(
        msg::lrn001_few_clips{.rise = in_percent(rise), .step = since.step, .clips = since.clips});
  }
  const std::optional<double> fall = training_fall(summary, since.step, last.step);
  if (!fall) {
    return skipped(msg::lrn001_not_training{.rise = in_percent(rise), .step = since.step});
  }
  return Finding{.title =
                     msg::lrn001_title{
                         .rise = in_percent(rise), .step = since.step, .fall = in_percent(*fall)},
                 .severity = FindingSeverity::warn,
                 .evidence = {{metric::validation_rise, rise},
                              {metric::validation_rise_at_least, sure_rise(since)},
                              {metric::training_fall, *fall},
                              {metric::step, static_cast<double>(since.step)},
                              {metric::worse_validations, static_cast<double>(worse.size())},
                              {metric::clips, static_cast<double>(since.clips)}},
                 .fixes = against_overfitting(summary),
                 .verify = msg::lrn001_verify{},
                 .may_be_wrong = msg::lrn001_wrong_if{}};
}

}  // namespace

std::span<const Rule> learning_rules() {
  static constexpr auto kRules = std::to_array<Rule>({
      {.id = "LRN001",
       .category = RuleCategory::learning,
       .text = text_of<msg::lrn001_looks_for, msg::lrn001_means, msg::lrn001_remedy>(),
       .judge = overfitting,
       .needs = Need::validations,
       .verdict = VerdictKind::balanced},
  });
  return kRules;
}

}  // namespace qanat
