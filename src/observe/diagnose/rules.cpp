#include "diagnose/rules.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "diagnose/rule_parts.h"
#include "diagnose/torch_settings.h"
#include "locale/messages/findings_hardware.h"
#include "locale/messages/verdicts.h"
#include "monitor/reading_words.h"

namespace qanat {

FindingSeverity severity_of(const Gain& gain) {
  const double recoverable = gain.share_saved();
  // What could be nothing at all is no warning.
  if (gain.ci95.low <= 1 || recoverable < kMinReportableGain) {
    return FindingSeverity::info;
  }
  return recoverable < kSevere ? FindingSeverity::warn : FindingSeverity::crit;
}

std::span<const Rule> all_rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules;
    for (const auto part : {data_rules(),
                            batch_rules(),
                            compute_rules(),
                            loop_rules(),
                            period_rules(),
                            host_rules(),
                            storage_rules(),
                            hardware_rules(),
                            pair_rules(),
                            dual_rules(),
                            ranks_rules(),
                            learning_rules(),
                            setup_rules()}) {
      std::ranges::copy(part, std::back_inserter(rules));
    }
    std::ranges::sort(
        rules, {}, [](const Rule& rule) { return std::tuple(rule.category, rule.id); });
    return rules;
  }();
  return all;
}

const Rule* find_rule(std::string_view id) {
  const auto found = std::ranges::find(all_rules(), id, &Rule::id);
  return found == all_rules().end() ? nullptr : &*found;
}

namespace {

bool has_compared_validations(const RunSummary& summary) {
  return !summary.validations.empty() && summary.validations.back().since_lowest.has_value();
}

}  // namespace

bool is_asked(const Rule& rule, const RuleInput& input) {
  // How long a timer takes is what its user asked for.
  const bool is_about_timer =
      input.summary.is_paced &&
      (rule.category == RuleCategory::compute || rule.verdict == VerdictKind::compute_bound);
  return !is_about_timer && (!contains(rule.needs, Need::setup) || input.summary.setup) &&
         (!contains(rule.needs, Need::dual) || input.dual != nullptr) &&
         (!contains(rule.needs, Need::validations) || has_compared_validations(input.summary)) &&
         (!contains(rule.needs, Need::ranks) || num_other_ranks(input.summary.run) > 0);
}

std::optional<SkippedCheck> unmet(Need needs, const RuleInput& input) {
  const RunSummary& summary = input.summary;
  const auto lacks = [](Message why, Missing missing) {
    return SkippedCheck{.reason = std::move(why), .missing = missing};
  };
  if (contains(needs, Need::steps) && input.measures.steady.size() < kMinSteps) {
    return lacks(msg::skip_too_few_steps{}, Missing::steps);
  }
  if (contains(needs, Need::one_run) && summary.turns > 1) {
    return lacks(msg::skip_several_runs{.runs = summary.turns}, Missing::steps);
  }
  const std::optional<RankComparison>& ranks = input.measures.ranks;
  if (contains(needs, Need::journals) && !(ranks && ranks->is_complete())) {
    return lacks(msg::skip_no_ranks{}, Missing::other);
  }
  if (contains(needs, Need::ranks) && !(ranks && ranks->steps >= kMinSteps)) {
    return lacks(msg::skip_too_few_steps{}, Missing::steps);
  }
  if (contains(needs, Need::gpus | Need::gpu_samples)) {
    const Reading<GpuSetup> setup = gpus_of(summary);
    if (!setup) {
      return lacks(msg::skip_no_gpu{.why = reading_words(setup.why_not())}, Missing::gpu);
    }
    const std::vector<GpuHistory>& gpus = summary.gpus->gpus;
    if (contains(needs, Need::gpu_samples) && (gpus.empty() || gpus.front().samples == 0)) {
      return lacks(msg::skip_no_gpu_samples{}, Missing::gpu);
    }
  }
  if (contains(needs, Need::host) && !summary.host) {
    return lacks(msg::skip_no_host{}, Missing::host);
  }
  if (contains(needs, Need::loader) && !summary.pipeline) {
    return lacks(msg::skip_no_loader{}, Missing::loader);
  }
  if (contains(needs, Need::storage) && !summary.storage) {
    return lacks(msg::skip_no_storage{}, Missing::storage);
  }
  return std::nullopt;
}

namespace {

// Rules may propose what a run has already: advice that changes nothing is none.
void leave_out_what_is_set(const RunSummary& summary, Finding& finding) {
  std::erase_if(finding.fixes, [&](const Fix& fix) {
    return fix.is_setting() && is_set(summary, fix.key, fix.value);
  });
}

}  // namespace

RuleOutcome ask(const Rule& rule, const RuleInput& input) {
  std::optional<SkippedCheck> lacking = unmet(rule.needs, input);
  RuleOutcome outcome = lacking ? RuleOutcome(*std::move(lacking)) : rule.judge(input);
  std::visit([&rule](auto& said) { said.id = rule.id; }, outcome);
  auto* const finding = std::get_if<Finding>(&outcome);
  if (finding != nullptr && finding->gain.method == GainMethod::none) {
    finding->gain = no_gain(input.measures);
  }
  if (finding != nullptr) {
    leave_out_what_is_set(input.summary, *finding);
  }
  if (finding != nullptr && input.summary.trained_by == TrainedBy::torch) {
    say_in_torch_settings(input, *finding);
  } else if (finding != nullptr && !finding->verify) {
    finding->verify = by_command("qanat diagnose --verify " + finding->id);
  }
  return outcome;
}

}  // namespace qanat
