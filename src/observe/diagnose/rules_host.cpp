// Rules about the machine: quotas, memory, threads and the other programs on its cores.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "diagnose/core_use.h"
#include "diagnose/gain.h"
#include "diagnose/rule_parts.h"
#include "diagnose/wait_cause.h"
#include "diagnose/what_if.h"
#include "locale/messages/findings_host.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

constexpr double kThrottledShare = 0.01;
constexpr double kDelayedTrainer = 0.10;  // of the time its threads could have run
constexpr double kCrowded = 1.5;          // threads ready to run for every core
constexpr double kBusyMachine = 0.25;     // of the cores, by others: worth a warning without a run
constexpr double kSwapRate = 512 * 1024;  // bytes a second
constexpr int kSmallBuffer = 4;           // batches, where memory is short

int fitting_workers(const CoreUse& use, double cores) {
  return std::max(1, static_cast<int>(std::floor(cores)) - std::max(1, use.trainers));
}

// Time all cores of the group were stopped, as a share of the run. The kernel sums over cores.
Reading<double> throttled_share(const HostSummary& host) {
  Reading<double> share = host.share(&HostCounters::throttled);
  if (!share) {
    return share;
  }
  const Reading<CoreUse> use = core_use(host);
  const double cores = host.setup.affinity_cores.value().value_or(1);
  const double used = use ? std::clamp((*use).wanted, 1.0, std::max(cores, 1.0)) : cores;
  return std::min(*share / std::max(used, 1.0), 1.0);
}

Fix fewer_workers(const CoreUse& use, double cores, std::optional<double> predicted) {
  return set_key("data.num_workers", fitting_workers(use, cores), predicted);
}

std::vector<Fix> quota_fixes(const HostSummary& host, const Gain& gain) {
  const Reading<CoreUse> use = core_use(host);
  const double quota = *host.setup.cpu_quota;
  std::vector<Fix> fixes;
  if (use && (*use).loaders > fitting_workers(*use, quota)) {
    fixes.push_back(fewer_workers(*use, quota, std::nullopt));
  }
  const double wanted = std::ceil(use ? (*use).wanted : quota + 1);
  fixes.push_back(
      do_this(msg::host001_raise_quota{.cores = static_cast<int>(wanted)},
              gain.step_if_fixed > 0 ? std::optional(gain.step_if_fixed) : std::nullopt));
  return fixes;
}

// The busy part of a step in which the trainer's threads were ready but had no core.
double delayed_share(const RunMeasures& m, const CoreUse& use) {
  return m.share(m.breakdown.busy()) * use.trainer_delay();
}

Fix keep_others_off(const HostSetup& setup, std::optional<double> predicted) {
  return do_this(msg::host005_keep_off{.core = cores_of(setup) - 1}, predicted);
}

bool has_neighbours(const HostSummary& host) {
  const Reading<Neighbours> others = host.neighbours();
  return others && (*others).is_busy();
}

// What other programs cost, as shares of the step.
struct LostToOthers {
  Saving work{};      // threads of the trainer had no core
  double queued = 0;  // of the time of filling a row: workers had none
  double wait = 0;    // threads that hand batches over had none, and the device waited for data
};

// Others cannot hold a thread up for longer than they run, nor take what it ran itself.
Saving work_lost_to_others(const RunMeasures& m, const CoreUse& use, const Neighbours& others) {
  const double busy = m.share(m.breakdown.busy());
  const double most = std::clamp(busy - use.trainer_alone, 0.0, std::min(others.others, busy));
  const auto lost = [&](double free) { return std::min(1 - free, most); };
  const double stolen = busy * others.stolen_share();
  return {.seconds = std::max(lost(use.trainer_free), stolen),
          .range = {.low = std::max(lost(use.trainer_free_range.high), stolen),
                    .high = std::max(lost(use.trainer_free_range.low), stolen)}};
}

LostToOthers lost_to_others(const RuleInput& input, const CoreUse& use, const Neighbours& others) {
  if (!others.is_busy()) {
    return {};
  }
  const RunMeasures& m = input.measures;
  LostToOthers lost{.work = work_lost_to_others(m, use, others)};
  // Workers that a full window holds back are fast enough as they are.
  const WaitCause cause = find_wait_cause(input);
  if (m.loader && m.loader->split && cause != WaitCause::shallow_buffer) {
    lost.queued = m.loader->split->run_queue;
  }
  // Workers that mostly wait for storage want a core too rarely to lose much.
  if (cause == WaitCause::neighbours) {
    const double waiting = m.share(m.breakdown.wait) * use.loader_delay();
    lost.wait = std::min({waiting, use.loader_queued, others.others});
  }
  return lost;
}

// The recorded run without them: rows are filled and steps are done as fast as their threads ran.
WhatIf without_others(const RunMeasures& m, double work, double queued) {
  WhatIf change{.work = 1 - queued};
  change.saved_of(BreakdownPart::work) = work * m.mean_step;
  return change;
}

Gain gain_without_others(const RuleInput& input, const LostToOthers& lost) {
  const RunMeasures& m = input.measures;
  const auto saved = [&](double work, double queued, double wait) {
    const std::optional<double> predicted = predict_step(input, without_others(m, work, queued));
    const double directly = std::min(wait, m.share(m.breakdown.wait)) * m.mean_step;
    return predicted ? std::max(m.mean_step - *predicted, directly) : work * m.mean_step + directly;
  };
  // How much of the queueing in a row was theirs is known less well than that there was some.
  return make_gain(m.mean_step,
                   {.seconds = saved(lost.work.seconds, lost.queued, lost.wait),
                    .range = {.low = saved(lost.work.range.low, 0.7 * lost.queued, 0.7 * lost.wait),
                              .high = saved(lost.work.range.high, lost.queued, 1.2 * lost.wait)}},
                   GainMethod::run_queue);
}

// Others on the cores of a machine on which nothing was trained: whatever is measured suffers.
RuleOutcome busy_machine(const RuleInput& input, const Neighbours& others) {
  const double taken = others.busy_share() + others.stolen_share();
  const Message title = msg::host005_busy{.used = in_percent(taken)};
  if (taken < kBusyMachine) {
    return passed(title);
  }
  return Finding{.title = title,
                 .severity = FindingSeverity::warn,
                 .evidence = {{metric::others_share, others.busy_share()},
                              {metric::stolen_share, others.stolen_share()}},
                 .fixes = {keep_others_off(input.summary.host->setup, std::nullopt)},
                 .verify = msg::host005_verify{},
                 .may_be_wrong = msg::host005_wrong_if{}};
}

RuleOutcome quota_too_small(const RuleInput& input) {
  const HostSummary& host = *input.summary.host;
  const Reading<double>& quota = host.setup.cpu_quota;
  if (quota.is_unlimited()) {
    return passed(msg::host001_no_quota{});
  }
  if (!quota) {
    return skipped_for(quota);
  }
  const Reading<CoreUse> use = core_use(host);
  if (!use) {
    return passed(msg::host001_uncounted{.quota = plain(*quota, 1)});
  }
  const Quantity wanted = plain((*use).wanted, 1);
  if ((*use).wanted <= *quota) {
    return passed(msg::host001_ok{.wanted = wanted, .quota = plain(*quota, 1)});
  }
  const Reading<double> lost = throttled_share(host);
  const bool throttles = lost && *lost >= kThrottledShare && input.measures.mean_step > 0;
  const Gain gain =
      throttles ? gain_of_share(input.measures, {.share = *lost}, GainMethod::throttled_time)
                : no_gain(input.measures);
  return Finding{.title = msg::host001_title{.wanted = wanted, .quota = plain(*quota, 1)},
                 .severity = throttles ? severity_of(gain) : FindingSeverity::info,
                 .evidence = {{metric::cpu_quota, *quota}, {metric::wanted_cores, (*use).wanted}},
                 .gain = gain,
                 .fixes = quota_fixes(host, gain),
                 .may_be_wrong = msg::host001_wrong_if{}};
}

RuleOutcome quota_throttles(const RuleInput& input) {
  const HostSummary& host = *input.summary.host;
  const Reading<double>& quota = host.setup.cpu_quota;
  if (quota.is_unlimited()) {
    return passed(msg::host001_no_quota{});
  }
  const Reading<double> lost = throttled_share(host);
  if (!lost) {
    return skipped_for(lost);
  }
  if (*lost < kThrottledShare || !quota) {
    return passed(msg::host002_ok{.share = in_percent(*lost, 1)});
  }
  const Gain gain = gain_of_share(input.measures, {.share = *lost}, GainMethod::throttled_time);
  const double periods = host.growth(&HostCounters::periods).value().value_or(0);
  const double stopped = host.growth(&HostCounters::throttled_periods).value().value_or(0);
  return Finding{.title = msg::host002_title{.quota = plain(*quota, 1), .share = in_percent(*lost)},
                 .severity = severity_of(gain),
                 .evidence = {{metric::throttled_share, *lost},
                              {metric::throttled_periods_share,
                               periods > 0 ? std::min(stopped / periods, 1.0) : 0}},
                 .gain = gain,
                 .fixes = quota_fixes(host, gain),
                 .may_be_wrong = msg::host002_wrong_if{}};
}

RuleOutcome pressure_stalls(const RuleInput& input) {
  const HostSummary& host = *input.summary.host;
  const RunMeasures& m = input.measures;
  // The own group says more about this run than the machine does.
  const auto either = [&host](auto group, auto machine) {
    const Reading<double> own = host.share(group);
    return own ? own : host.share(machine);
  };
  const Reading<double> memory =
      either(&HostCounters::group_memory_full, &HostCounters::memory_full);
  const Reading<double> io = either(&HostCounters::group_io_full, &HostCounters::io_full);
  if (!memory || !io) {
    return skipped_for(memory ? io : memory);
  }
  // Storage that others wait for costs nothing while the device has work.
  const double exposed = m.share(m.breakdown.wait + m.breakdown.checkpoint + m.breakdown.residual);
  const double for_storage = std::min(*io, exposed);
  const double lost = std::max(*memory, for_storage);
  if (lost < kMinReportableGain) {
    return passed(msg::host003_ok{.memory = in_percent(*memory, 1), .storage = in_percent(*io, 1)});
  }
  const bool is_memory = *memory >= for_storage;
  const Gain gain =
      gain_of_share(m, {.share = lost, .low = 0.3, .high = 1.2}, GainMethod::pressure);
  return Finding{
      .title = is_memory ? Message(msg::host003_memory_title{.share = in_percent(lost)})
                         : msg::host003_storage_title{.share = in_percent(lost)},
      .severity = severity_of(gain),
      .evidence = {{metric::memory_full_share, *memory},
                   {metric::io_full_share, *io},
                   {metric::cpu_some_share,
                    host.share(&HostCounters::cpu_some).value().value_or(0)}},
      .gain = gain,
      .fixes = {is_memory ? set_key("pipeline.feature_cache", 0) : precompute_features()},
      .may_be_wrong = msg::host003_wrong_if{}};
}

RuleOutcome oversubscribed(const RuleInput& input) {
  const HostSummary& host = *input.summary.host;
  const Reading<CoreUse> use = core_use(host);
  if (!use) {
    return skipped_for(use);
  }
  const int cores = cores_of(host.setup);
  const double delay = (*use).trainer_delay();
  const Quantity wanted = plain((*use).wanted, 1);
  const bool crowded = (*use).wanted >= kCrowded * cores;
  if (!crowded || delay < kDelayedTrainer || has_neighbours(host)) {
    return passed(msg::host004_ok{.wanted = wanted, .cores = cores, .share = in_percent(delay, 1)});
  }
  const Gain gain = gain_of_share(
      input.measures, {.share = delayed_share(input.measures, *use)}, GainMethod::run_queue);
  Finding finding{.title = msg::host004_title{.wanted = wanted,
                                              .cores = Quantity{.value = static_cast<double>(cores),
                                                                .unit = Unit::cores},
                                              .share = in_percent(delay)},
                  .severity = severity_of(gain),
                  .evidence = {{metric::wanted_cores, (*use).wanted},
                               {metric::trainer_delay_share, delay},
                               {metric::loader_threads, static_cast<double>((*use).loaders)}},
                  .gain = gain,
                  .may_be_wrong = msg::host004_wrong_if{}};
  if ((*use).loaders > fitting_workers(*use, cores)) {
    finding.fixes = {fewer_workers(*use, cores, gain.step_if_fixed)};
  }
  return finding;
}

RuleOutcome noisy_neighbour(const RuleInput& input) {
  const HostSummary& host = *input.summary.host;
  const Reading<CoreUse> use = core_use(host);
  const Reading<Neighbours> others = host.neighbours();
  if (!use || !others) {
    return skipped_because(use ? others.why_not() : use.why_not());
  }
  if (input.measures.steady.size() < kMinSteps) {
    return busy_machine(input, *others);
  }
  const LostToOthers lost = lost_to_others(input, *use, *others);
  const RunMeasures& m = input.measures;
  const double delayed = 1 - (*use).trainer_free;
  const double busy = (*others).busy_share();
  const double stolen = (*others).stolen_share();
  const Gain gain = gain_without_others(input, lost);
  // What is hidden behind a slower loader is worth something once that is fixed.
  const double claim = std::max(lost.work.seconds * m.mean_step, gain.seconds_saved());
  if (claim < kMinReportableGain * m.mean_step) {
    return passed(msg::host005_title{.used = in_percent(busy), .share = in_percent(delayed, 1)});
  }
  const bool in_work = lost.work.seconds * m.mean_step >= gain.seconds_saved() / 2;
  return Finding{.title = msg::host005_title{.used = in_percent(busy + stolen),
                                             .share = in_percent(std::max(delayed, stolen))},
                 .severity = severity_of(gain),
                 .evidence = {{metric::others_share, busy},
                              {metric::stolen_share, stolen},
                              {metric::trainer_delay_share, delayed},
                              {metric::loader_delay_share, (*use).loader_delay()}},
                 .gain = gain,
                 .fixes = {keep_others_off(host.setup, gain.step_if_fixed)},
                 .verify = msg::host005_verify{},
                 .may_be_wrong = msg::host005_wrong_if{},
                 .part = in_work ? BreakdownPart::work : BreakdownPart::wait,
                 .change = without_others(m, lost.work.seconds, lost.queued),
                 .claim = claim};
}

RuleOutcome remote_node(const RuleInput& input) {
  const HostSetup& setup = input.summary.host->setup;
  if (!setup.numa_nodes) {
    return skipped_for(setup.numa_nodes);
  }
  if (*setup.numa_nodes < 2) {
    return passed(msg::host006_one_node{});
  }
  const Reading<GpuSetup> gpus = gpus_of(input.summary);
  if (!gpus || !setup.core_nodes) {
    return skipped(msg::host006_unknown{}, Missing::gpu);
  }
  for (const GpuFacts& gpu : (*gpus).gpus) {
    const std::string node =
        gpu.numa_node ? std::to_string(std::lround(*gpu.numa_node)) : std::string();
    if (node.empty() || *setup.core_nodes == node) {
      continue;
    }
    const std::string command = fmt::format("numactl --cpunodebind={0} --preferred={0}", node);
    return Finding{
        .title = msg::host006_title{.gpu = gpu.bus_id.value().value_or(
                                        std::to_string(&gpu - (*gpus).gpus.data())),
                                    .node = node,
                                    .nodes = *setup.core_nodes},
        .evidence = {{metric::gpu_node, *gpu.numa_node}, {metric::nodes, *setup.numa_nodes}},
        .fixes = {do_this(msg::verbatim_text{.text = command + " qanat ..."})},
        .verify = msg::host006_verify{},
        .may_be_wrong = msg::host006_wrong_if{}};
  }
  return passed(msg::host006_ok{.nodes = *setup.core_nodes});
}

std::vector<Fix> less_memory(const RuleInput& input) {
  std::vector<Fix> fixes{set_key("pipeline.feature_cache", 0)};
  const std::optional<LoaderUse>& loader = input.measures.loader;
  if (!loader || loader->window > kSmallBuffer) {
    fixes.push_back(set_key("data.pipeline_buffer_size", kSmallBuffer));
  }
  return fixes;
}

RuleOutcome swapping(const RuleInput& input) {
  const HostSummary& host = *input.summary.host;
  const Reading<double> in = host.share(&HostCounters::swapped_in);
  const Reading<double> out = host.share(&HostCounters::swapped_out);
  if (!in || !out) {
    return skipped_for(in ? out : in);
  }
  const double rate = *in + *out;
  if (rate < kSwapRate) {
    return passed(msg::host007_ok{.rate = in_bytes_per_second(rate)});
  }
  const double stalled = host.share(&HostCounters::memory_full).value().value_or(0);
  const Gain gain = gain_of_share(
      input.measures, {.share = stalled, .low = 0.3, .high = 1.2}, GainMethod::pressure);
  return Finding{.title = msg::host007_title{.rate = in_bytes_per_second(rate)},
                 .severity = std::max(severity_of(gain), FindingSeverity::warn),
                 .evidence = {{metric::swapped_in, *in},
                              {metric::swapped_out, *out},
                              {metric::memory_full_share, stalled}},
                 .gain = gain,
                 .fixes = less_memory(input),
                 .may_be_wrong = msg::host007_wrong_if{}};
}

RuleOutcome slow_governor(const RuleInput& input) {
  const HostSetup& setup = input.summary.host->setup;
  if (!setup.governor) {
    return skipped_for(setup.governor);
  }
  // With these drivers the governor of that name raises clocks by itself.
  const std::string driver = setup.clock_driver.value().value_or("?");
  const bool dynamic = driver.starts_with("intel_pstate") || driver.starts_with("amd-pstate");
  if (setup.governor.value()->find("powersave") == std::string::npos || dynamic) {
    return passed(msg::host008_ok{.governor = *setup.governor, .driver = driver});
  }
  return Finding{
      .title = msg::host008_title{.governor = *setup.governor, .driver = driver},
      .severity = FindingSeverity::warn,
      .evidence = {{metric::cores, setup.online_cores.value().value_or(0)}},
      .fixes = {do_this(msg::verbatim_text{.text = "sudo cpupower frequency-set -g performance"})},
      .verify = msg::host008_verify{},
      .may_be_wrong = msg::host008_wrong_if{}};
}

RuleOutcome locked_memory_limit(const RuleInput& input) {
  const Reading<double>& limit = input.summary.host->setup.locked_memory;
  if (limit.is_unlimited()) {
    return passed(msg::host009_unlimited{});
  }
  if (!limit) {
    return skipped_for(limit);
  }
  if (!gpus_of(input.summary)) {
    return passed(msg::host009_no_gpu{.limit = in_bytes(*limit)});
  }
  if (auto lacking = unmet(Need::loader, input)) {
    return *lacking;
  }
  const auto blocks = static_cast<double>(input.summary.pipeline->window.allocated.value);
  if (blocks <= *limit) {
    return passed(msg::host009_ok{.blocks = in_bytes(blocks), .limit = in_bytes(*limit)});
  }
  return Finding{.title = msg::host009_title{.blocks = in_bytes(blocks), .limit = in_bytes(*limit)},
                 .evidence = {{metric::blocks, blocks}, {metric::limit, *limit}},
                 .fixes = {do_this(msg::host009_raise_limit{})},
                 .verify = msg::host009_verify{},
                 .may_be_wrong = msg::host009_wrong_if{}};
}

// The machine makes steps of equal work take unequal time, whatever part of them it hits.
constexpr Rule host_rule(std::string_view id,
                         RuleText text,
                         RuleOutcome (*judge)(const RuleInput&),
                         Need needs) {
  return {.id = id,
          .category = RuleCategory::host,
          .text = text,
          .judge = judge,
          .needs = needs,
          .makes_steps_vary = true};
}

}  // namespace

std::span<const Rule> host_rules() {
  static constexpr std::array kRules = {
      host_rule("HOST001",
                text_of<msg::host001_looks_for, msg::host001_means, msg::host001_remedy>(),
                quota_too_small,
                Need::host),
      host_rule("HOST002",
                text_of<msg::host002_looks_for, msg::host002_means, msg::host002_remedy>(),
                quota_throttles,
                Need::steps | Need::host),
      host_rule("HOST003",
                text_of<msg::host003_looks_for, msg::host003_means, msg::host003_remedy>(),
                pressure_stalls,
                Need::steps | Need::host),
      host_rule("HOST004",
                text_of<msg::host004_looks_for, msg::host004_means, msg::host004_remedy>(),
                oversubscribed,
                Need::steps | Need::host),
      host_rule("HOST005",
                text_of<msg::host005_looks_for, msg::host005_means, msg::host005_remedy>(),
                noisy_neighbour,
                Need::host),
      host_rule("HOST006",
                text_of<msg::host006_looks_for, msg::host006_means, msg::host006_remedy>(),
                remote_node,
                Need::host),
      host_rule("HOST007",
                text_of<msg::host007_looks_for, msg::host007_means, msg::host007_remedy>(),
                swapping,
                Need::steps | Need::host),
      host_rule("HOST008",
                text_of<msg::host008_looks_for, msg::host008_means, msg::host008_remedy>(),
                slow_governor,
                Need::host),
      host_rule("HOST009",
                text_of<msg::host009_looks_for, msg::host009_means, msg::host009_remedy>(),
                locked_memory_limit,
                Need::host),
  };
  return kRules;
}

}  // namespace qanat
