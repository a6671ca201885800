// Rules about loops that are not ours: time that no part of a step owns, data that no loader
// brings, and workers that hand over their batches in turn.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "diagnose/loop_use.h"
#include "diagnose/rule_parts.h"
#include "diagnose/wait_cause.h"
#include "diagnose/what_if.h"
#include "locale/messages/findings_loop.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

constexpr double kMuchOutside = 0.05;     // of the step
constexpr double kMuchBefore = 0.08;      // of the step, before an update: clipping is no fault
constexpr double kUnexplainedWait = 0.1;  // of the step: less may be the hand-over
constexpr std::int64_t kMinSeen = 5;      // samples of a line that is named
constexpr Metric kOutsideShare{"outside_share"};
constexpr Metric kSeenShare{"seen_share"};

struct Place {
  std::string_view name;
  Message words;
  double share = 0;
};

Place largest_place(const RuleInput& input) {
  std::array places = {
      Place{kAfterUpdate, msg::place_after_update{}, share_of_place(input, kAfterUpdate)},
      Place{kBetweenBatches, msg::place_between_batches{}, share_of_place(input, kBetweenBatches)},
      Place{kBeforeUpdate, msg::place_before_update{}, share_of_place(input, kBeforeUpdate)}};
  return *std::ranges::max_element(places, {}, &Place::share);
}

RuleOutcome outside_of_parts(const RuleInput& input) {
  if (!input.summary.loop) {
    return skipped(msg::skip_no_lines{}, Missing::other);
  }
  const Place place = largest_place(input);
  if (place.share < (place.name == kBeforeUpdate ? kMuchBefore : kMuchOutside)) {
    return passed(msg::cmp010_ok{.share = in_percent(place.share, 1)});
  }
  const std::optional<LoopFunction> seen = function_in(*input.summary.loop, place.name);
  const Gain gain = gain_of_share(
      input.measures, {.share = place.share, .low = 0.8, .high = 1.2}, GainMethod::breakdown);
  Finding finding{
      .title = msg::cmp010_title{.share = in_percent(place.share), .place = place.words},
      .severity = severity_of(gain),
      .evidence = {{kOutsideShare, place.share}},
      .gain = gain,
      .fixes = {do_this(msg::cmp010_do_rarely{}, gain.step_if_fixed)},
      .verify = msg::verify_rerun{},
      .may_be_wrong = msg::cmp010_wrong_if{},
      .part = BreakdownPart::unknown};
  if (seen && seen->samples >= kMinSeen) {
    finding.title = msg::cmp010_title_with_line{.share = in_percent(place.share),
                                                .place = place.words,
                                                .function = seen->function,
                                                .line = seen->line};
    finding.evidence.push_back({kSeenShare, seen->share});
  }
  return finding;
}

// Between an update and the next backward pass, outside of modules.
RuleOutcome data_without_loader(const RuleInput& input) {
  if (!input.summary.loop) {
    return skipped(msg::skip_no_lines{}, Missing::other);
  }
  if (input.summary.run.loader || share_of_place(input, kNoLoader) == 0) {
    return passed(msg::dl015_ok{});
  }
  const std::optional<LoopFunction> seen = function_in(*input.summary.loop, kAfterUpdate);
  if (!seen || seen->samples < kMinSeen || seen->share < kMuchOutside) {
    return passed(msg::dl015_nothing{});
  }
  const Gain gain = gain_of_share(
      input.measures, {.share = seen->share, .low = 0.7, .high = 1.3}, GainMethod::breakdown);
  return Finding{.title = msg::dl015_title{.share = in_percent(seen->share),
                                           .function = seen->function,
                                           .line = seen->line},
                 .severity = severity_of(gain),
                 .evidence = {{kSeenShare, seen->share}},
                 .gain = gain,
                 .fixes = {do_this(msg::dl015_use_loader{}, gain.step_if_fixed)},
                 .verify = msg::verify_rerun{},
                 .may_be_wrong = msg::dl015_wrong_if{},
                 .part = BreakdownPart::unknown};
}

RuleOutcome own_process_works(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const WaitCause cause = find_wait_cause(input);
  if (cause != WaitCause::own_process) {
    return passed(msg::dl016_ok{});
  }
  const LoopSample& loop = *input.summary.loop;
  const auto count = [&loop](const char* what) {
    const auto found = loop.waits.find(what);
    return found == loop.waits.end() ? std::int64_t{0} : found->second;
  };
  const bool is_sampler = count("wait:index") >= count("wait:receive");
  const std::optional<LoopFunction> seen =
      function_in(loop, is_sampler ? "wait:index" : "wait:receive");
  const Gain gain = gain_without(m, wait_of);
  const std::string line = seen ? seen->line : "";
  return Finding{
      .title =
          is_sampler ? Message(msg::dl016_sampler_title{.line = line}) : msg::dl016_receive_title{},
      .severity = severity_of(gain),
      .evidence = {{metric::data_wait_share, m.share(m.breakdown.wait)}},
      .gain = gain,
      .fixes = {do_this(is_sampler ? Message(msg::dl016_fix_sampler{}) : msg::dl016_fix_batches{},
                        gain.step_if_fixed)},
      .verify = msg::verify_rerun{},
      .may_be_wrong = msg::dl016_wrong_if{},
      .part = BreakdownPart::wait};
}

bool knows_in_order(const RunSummary& summary) {
  return summary.run.loader && summary.run.loader->is_object() &&
         summary.run.loader->contains("in_order");
}

RuleOutcome workers_unequal(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (find_wait_cause(input) != WaitCause::unequal) {
    return passed(msg::dl014_ok{});
  }
  const UnequalWorkers use = *unequal_workers(input.summary);
  const double own = m.mean_step - m.breakdown.wait.count();
  const double alike = std::max(own, use.fast_batch / use.workers);
  const Gain gain = gain_of_less_waiting(m, alike);
  Finding finding{.title = use.times > 0
                               ? Message(msg::dl014_title{.worker = use.worker,
                                                          .workers = use.workers,
                                                          .times = plain(use.times, 1)})
                               : msg::dl014_all_title{.worker = use.worker, .workers = use.workers},
                  .severity = severity_of(gain),
                  .evidence = {{metric::data_wait_share, m.share(m.breakdown.wait)},
                               {metric::workers, static_cast<double>(use.workers)}},
                  .gain = gain,
                  .verify = msg::verify_rerun{},
                  .may_be_wrong = msg::dl014_wrong_if{},
                  .part = BreakdownPart::wait};
  if (use.times == 0) {
    finding.fixes = {do_this(msg::dl014_share_rows{}, alike)};
    return finding;
  }
  finding.fixes = {do_this(msg::dl014_find_out{}, alike)};
  if (knows_in_order(input.summary)) {
    finding.fixes.push_back({.key = "in_order",
                             .value = "False",
                             .predicted_step = step_out_of_turn(use, own),
                             .trained_by = TrainedBy::torch});
  }
  return finding;
}

Message measure_next(const LoaderUse& use) {
  return use.split ? Message(msg::dl017_next_in_loop{}) : msg::dl017_next_usage{};
}

// A wait of which nothing is known is no warning where it is short, nor where other programs may
// have kept the batches back.
FindingSeverity severity_of_unexplained(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.share(m.breakdown.wait) < kUnexplainedWait) {
    return FindingSeverity::info;
  }
  const Reading<Neighbours> others =
      input.summary.host ? input.summary.host->neighbours() : Reading<Neighbours>{};
  return others && (*others).is_busy() ? FindingSeverity::info : FindingSeverity::warn;
}

// What is known of a wait that nothing explains; no gain is promised.
RuleOutcome wait_unexplained(const RuleInput& input) {
  if (find_wait_cause(input) != WaitCause::unexplained) {
    return passed(msg::dl017_ok{});
  }
  const RunMeasures& m = input.measures;
  const LoaderUse& use = *m.loader;
  const Quantity share = in_percent(m.share(m.breakdown.wait));
  return Finding{.title = msg::dl017_title{.share = share, .busy = in_percent(use.busy)},
                 .severity = severity_of_unexplained(input),
                 .evidence = {{metric::data_wait_share, m.share(m.breakdown.wait)},
                              {metric::workers_busy_share, use.busy},
                              {metric::workers, static_cast<double>(use.workers)}},
                 .fixes = {do_this(measure_next(use))},
                 .verify = msg::verify_rerun{},
                 .may_be_wrong = msg::dl017_wrong_if{},
                 .part = BreakdownPart::wait};
}

constexpr Rule loop_rule(std::string_view id,
                         RuleText text,
                         RuleOutcome (*judge)(const RuleInput&),
                         VerdictKind verdict) {
  return {.id = id,
          .category = id[0] == 'D' ? RuleCategory::data : RuleCategory::compute,
          .text = text,
          .judge = judge,
          .verdict = verdict};
}

}  // namespace

std::span<const Rule> loop_rules() {
  static constexpr std::array kRules = {
      loop_rule("CMP010",
                text_of<msg::cmp010_looks_for, msg::cmp010_means, msg::cmp010_remedy>(),
                outside_of_parts,
                VerdictKind::host_overhead),
      loop_rule("DL014",
                text_of<msg::dl014_looks_for, msg::dl014_means, msg::dl014_remedy>(),
                workers_unequal,
                VerdictKind::input_bound),
      loop_rule("DL015",
                text_of<msg::dl015_looks_for, msg::dl015_means, msg::dl015_remedy>(),
                data_without_loader,
                VerdictKind::input_bound),
      loop_rule("DL016",
                text_of<msg::dl016_looks_for, msg::dl016_means, msg::dl016_remedy>(),
                own_process_works,
                VerdictKind::input_bound),
      loop_rule("DL017",
                text_of<msg::dl017_looks_for, msg::dl017_means, msg::dl017_remedy>(),
                wait_unexplained,
                VerdictKind::input_bound),
  };
  return kRules;
}

}  // namespace qanat
