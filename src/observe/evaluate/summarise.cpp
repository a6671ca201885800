
#include "evaluate/evaluation.h"

namespace qanat {
namespace {

std::optional<Estimate> estimate_of(const std::vector<Weighted>& values) {
  return values.empty() ? std::nullopt : std::optional(estimate_mean(values));
}

MeasureSummary summary_of(const Evaluation& evaluation, Measure measure) {
  const auto at = static_cast<std::size_t>(measure);
  std::vector<Weighted> reference;
  std::vector<Weighted> made;
  std::vector<Weighted> baseline;
  std::vector<Weighted> differences;
  const auto add = [&](const std::optional<Weighted>& score, std::vector<Weighted>& values) {
    if (score) {
      values.push_back(*score);
    }
  };
  for (const UtteranceResult& one : evaluation.utterances) {
    if (one.reference) {
      add(one.reference->scores.at(at), reference);
    }
    add(one.made.scores.at(at), made);
    if (!one.baseline) {
      continue;
    }
    const std::optional<Weighted>& mine = one.made.scores.at(at);
    const std::optional<Weighted>& theirs = one.baseline->scores.at(at);
    add(theirs, baseline);
    if (mine && theirs) {
      differences.push_back({.value = mine->value - theirs->value, .weight = mine->weight});
    }
  }
  MeasureSummary summary{.measure = measure,
                         .reference = estimate_of(reference),
                         .made = estimate_of(made),
                         .baseline = estimate_of(baseline)};
  if (!differences.empty()) {
    summary.difference = estimate_difference(differences);
  }
  return summary;
}

}  // namespace

std::vector<MeasureSummary> summarise(const Evaluation& evaluation) {
  std::vector<MeasureSummary> summaries;
  for (std::size_t i = 0; i < kNumMeasures; ++i) {
    const MeasureSummary summary = summary_of(evaluation, static_cast<Measure>(i));
    if (summary.reference || summary.made || summary.baseline) {
      summaries.push_back(summary);
    }
  }
  return summaries;
}

Outcome outcome_of(const MeasureSummary& summary) {
  const PairedDifference& difference = summary.difference.value();
  if (difference.p_value >= kSignificance) {
    return Outcome::undecided;
  }
  if (facts_of(summary.measure).better == Better::neither) {
    return Outcome::different;
  }
  const bool is_lower = difference.change.mean < 0;
  return is_lower == (facts_of(summary.measure).better == Better::lower) ? Outcome::better
                                                                         : Outcome::worse;
}

}  // namespace qanat
