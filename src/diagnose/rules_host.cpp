#include "diagnose/rules_host.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "diagnose/core_use.h"
#include "diagnose/rule_parts.h"

namespace qanat {
namespace {

constexpr double kThrottledShare = 0.01;
constexpr double kDelayedTrainer = 0.10;  // of the time its threads could have run
constexpr double kCrowded = 1.5;          // threads ready to run for every core
constexpr double kBusyMachine = 0.25;     // of the cores, by others: worth a warning without a run
constexpr double kSwapRate = 512 * 1024;  // bytes a second

RuleOutcome skipped_for(const Reading<double>& reading) {
  return {.skipped = reading.why_not()};
}

int fitting_workers(const CoreUse& use, double cores) {
  return std::max(1, static_cast<int>(std::floor(cores)) - std::max(1, use.trainers));
}

// Time all cores of the group were stopped, as a share of the run. The kernel sums over cores.
Reading<double> throttled_share(const HostTrace& host) {
  const Reading<double> share = host.share(&HostCounters::throttled);
  if (!share) {
    return share;
  }
  const Reading<CoreUse> use = core_use(host);
  const double cores = host.setup.affinity_cores.value().value_or(1);
  const double used = use ? std::clamp((*use).wanted, 1.0, std::max(cores, 1.0)) : cores;
  return std::min(*share / std::max(used, 1.0), 1.0);
}

std::vector<Fix> quota_fixes(const HostTrace& host, const Gain& gain) {
  const Reading<CoreUse> use = core_use(host);
  std::vector<Fix> fixes;
  if (use && (*use).loaders > fitting_workers(*use, *host.setup.cpu_quota)) {
    fixes.push_back(
        {.key = "data.num_workers",
         .flag = fmt::format("--num-workers {}", fitting_workers(*use, *host.setup.cpu_quota))});
  }
  const double wanted = use ? std::ceil((*use).wanted) : std::ceil(*host.setup.cpu_quota + 1);
  fixes.push_back({.key = std::string(kSystemFix),
                   .flag = fmt::format("give the container more: docker run --cpus {:.0f}, or "
                                       "resources.limits.cpu: {:.0f} in Kubernetes",
                                       wanted,
                                       wanted),
                   .predicted_step =
                       gain.step_if_fixed > 0 ? std::optional(gain.step_if_fixed) : std::nullopt});
  return fixes;
}

// The busy part of a step in which the trainer's threads were ready but had no core.
double delayed_share(const RunMeasures& m, const CoreUse& use) {
  return m.share(m.ledger.busy()) * use.trainer_delay();
}

constexpr const char* kVerifyWithoutOthers =
    "top, sorted by processor; then measure again without them";
constexpr const char* kOthersWorkForThis =
    "the others are at work for this run (a mount, a decompressor)";

Fix keep_others_off(const HostSetup& setup) {
  return system_fix(fmt::format(
      "stop the others, or keep them off: taskset -c {} for them, a cpuset for this run",
      cores_of(setup) - 1));
}

bool has_neighbours(const HostTrace& host) {
  const Reading<Neighbours> others = host.neighbours();
  return others && (*others).is_busy();
}

// What other programs cost, as shares of the step.
struct LostToOthers {
  double work = 0;  // threads of the trainer had no core
  double wait = 0;  // those of the loader had none, and the device waited for data

  double total() const { return work + wait; }
};

LostToOthers lost_to_others(const RunMeasures& m, const CoreUse& use, const Neighbours& others) {
  if (!others.is_busy()) {
    return {};
  }
  // Others cannot hold a thread up for longer than they run.
  const double busy = m.share(m.ledger.busy());
  const double delayed = std::min(1 - use.trainer_free, others.others);
  return {.work = std::min(busy, std::max(delayed, busy * others.stolen_share())),
          .wait = std::min(m.share(m.ledger.wait) * use.loader_delay(), others.others)};
}

// Others on the cores of a machine on which nothing was trained: whatever is measured suffers.
RuleOutcome busy_machine(const RuleInput& input, const Neighbours& others) {
  const double taken = others.busy_share() + others.stolen_share();
  if (taken < kBusyMachine) {
    return {.passed = fmt::format("other programs use {:.0f} % of the cores", 100 * taken)};
  }
  return {.finding = Finding{
              .id = "HOST005",
              .title = fmt::format("other programs use {:.0f} % of the cores", 100 * taken),
              .severity = FindingSeverity::warn,
              .evidence = {{.metric = "others_share", .value = others.busy_share(), .unit = "1"},
                           {.metric = "stolen_share", .value = others.stolen_share(), .unit = "1"}},
              .gain = no_gain(input.measures),
              .fixes = {keep_others_off(input.trace.host->setup)},
              .verify = kVerifyWithoutOthers,
              .may_be_wrong = kOthersWorkForThis}};
}

}  // namespace

RuleOutcome quota_too_small(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const HostTrace& host = *input.trace.host;
  const Reading<double>& quota = host.setup.cpu_quota;
  if (quota.is_unlimited()) {
    return {.passed = "no quota limits the processor time"};
  }
  if (!quota) {
    return skipped_for(quota);
  }
  const Reading<CoreUse> use = core_use(host);
  if (!use) {
    return {.passed = fmt::format("a quota of {:.1f} cores; threads are counted in a run", *quota)};
  }
  if ((*use).wanted <= *quota) {
    return {.passed = fmt::format(
                "threads want {:.1f} cores, the quota is {:.1f}", (*use).wanted, *quota)};
  }
  const Reading<double> lost = throttled_share(host);
  const bool throttles = lost && *lost >= kThrottledShare && input.measures.mean_step > 0;
  const Gain gain = throttles ? gain_of_share(input.measures, {.share = *lost}, "throttled time")
                              : no_gain(input.measures);
  return {.finding = Finding{
              .id = "HOST001",
              .title = fmt::format("threads want {:.1f} cores, but the quota of the container is "
                                   "{:.1f}",
                                   (*use).wanted,
                                   *quota),
              .severity = throttles ? severity_of(gain) : FindingSeverity::info,
              .evidence = {{.metric = "cpu_quota", .value = *quota, .unit = "cores"},
                           {.metric = "wanted", .value = (*use).wanted, .unit = "cores"}},
              .gain = gain,
              .fixes = quota_fixes(host, gain),
              .verify = verify_command("HOST001"),
              .may_be_wrong = "threads that spin while they wait want more than they need"}};
}

RuleOutcome quota_throttles(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const HostTrace& host = *input.trace.host;
  if (host.setup.cpu_quota.is_unlimited()) {
    return {.passed = "no quota limits the processor time"};
  }
  const Reading<double> lost = throttled_share(host);
  if (!lost) {
    return skipped_for(lost);
  }
  if (*lost < kThrottledShare || !host.setup.cpu_quota) {
    return {.passed = fmt::format("the quota stopped the run {:.1f} % of the time", 100 * *lost)};
  }
  const Gain gain = gain_of_share(input.measures, {.share = *lost}, "throttled time");
  const double periods = host.growth(&HostCounters::periods).value().value_or(0);
  const double stopped = host.growth(&HostCounters::throttled_periods).value().value_or(0);
  return {.finding = Finding{
              .id = "HOST002",
              .title = fmt::format("the quota of {:.1f} cores was used up and stopped the run "
                                   "{:.0f} % of the time",
                                   *host.setup.cpu_quota,
                                   100 * *lost),
              .severity = severity_of(gain),
              .evidence = {{.metric = "throttled_share", .value = *lost, .unit = "1"},
                           {.metric = "throttled_periods_share",
                            .value = periods > 0 ? stopped / periods : 0,
                            .unit = "1"}},
              .gain = gain,
              .fixes = quota_fixes(host, gain),
              .verify = verify_command("HOST002"),
              .may_be_wrong = "another process of the same group used the quota up"}};
}

RuleOutcome pressure_stalls(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const HostTrace& host = *input.trace.host;
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
  const double exposed = m.share(m.ledger.wait + m.ledger.checkpoint + m.ledger.residual);
  const double for_storage = std::min(*io, exposed);
  const double lost = std::max(*memory, for_storage);
  if (lost < kWorthMentioning) {
    return {.passed = fmt::format("everything stood still {:.1f} % of the time for memory, {:.1f} "
                                  "% for storage",
                                  100 * *memory,
                                  100 * *io)};
  }
  const bool is_memory = *memory >= for_storage;
  const Gain gain = gain_of_share(m, {.share = lost, .low = 0.3, .high = 1.2}, "pressure stalls");
  const double cpu = host.share(&HostCounters::cpu_some).value().value_or(0);
  return {.finding = Finding{
              .id = "HOST003",
              .title = fmt::format("everything stood still {:.0f} % of the time for want of {}",
                                   100 * lost,
                                   is_memory ? "memory" : "storage"),
              .severity = severity_of(gain),
              .evidence = {{.metric = "memory_full_share", .value = *memory, .unit = "1"},
                           {.metric = "io_full_share", .value = *io, .unit = "1"},
                           {.metric = "cpu_some_share", .value = cpu, .unit = "1"}},
              .gain = gain,
              .fixes = {is_memory ? Fix{.key = "pipeline.feature_cache",
                                        .flag = "--set pipeline.feature_cache=0"}
                                  : Fix{.key = "data.preprocessing_mode",
                                        .flag = "--set data.preprocessing_mode=precompute"}},
              .verify = verify_command("HOST003"),
              .may_be_wrong = "another program of the machine or group caused it"}};
}

RuleOutcome oversubscribed(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const HostTrace& host = *input.trace.host;
  const Reading<CoreUse> use = core_use(host);
  if (!use) {
    return {.skipped = use.why_not()};
  }
  const int cores = cores_of(host.setup);
  const double delay = (*use).trainer_delay();
  const bool crowded = (*use).wanted >= kCrowded * cores;
  if (!crowded || delay < kDelayedTrainer || has_neighbours(host)) {
    return {.passed = fmt::format("threads want {:.1f} of {} cores; the trainer waits for a core "
                                  "{:.1f} % of its time",
                                  (*use).wanted,
                                  cores,
                                  100 * delay)};
  }
  const Gain gain = gain_of_share(
      input.measures, {.share = delayed_share(input.measures, *use)}, "run-queue delay");
  std::vector<Fix> fixes;
  if ((*use).loaders > fitting_workers(*use, cores)) {
    fixes.push_back({.key = "data.num_workers",
                     .flag = fmt::format("--num-workers {}", fitting_workers(*use, cores)),
                     .predicted_step = gain.step_if_fixed});
  }
  return {.finding = Finding{
              .id = "HOST004",
              .title = fmt::format("{:.1f} threads want to run on {} core{}; the trainer waits for "
                                   "a core {:.0f} % of its time",
                                   (*use).wanted,
                                   cores,
                                   cores == 1 ? "" : "s",
                                   100 * delay),
              .severity = severity_of(gain),
              .evidence = {{.metric = "wanted", .value = (*use).wanted, .unit = "cores"},
                           {.metric = "trainer_delay_share", .value = delay, .unit = "1"},
                           {.metric = "loader_threads",
                            .value = static_cast<double>((*use).loaders),
                            .unit = "threads"}},
              .gain = gain,
              .fixes = std::move(fixes),
              .verify = verify_command("HOST004"),
              .may_be_wrong = "the work of the loader has to be done by some core anyway"}};
}

RuleOutcome noisy_neighbour(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const HostTrace& host = *input.trace.host;
  const Reading<CoreUse> use = core_use(host);
  const Reading<Neighbours> others = host.neighbours();
  if (!use || !others) {
    return {.skipped = use ? others.why_not() : use.why_not()};
  }
  if (input.measures.steady.size() < kFewestSteps) {
    return busy_machine(input, *others);
  }
  const LostToOthers lost = lost_to_others(input.measures, *use, *others);
  const double delayed = 1 - (*use).trainer_free;
  if (lost.total() < kWorthMentioning) {
    return {.passed = fmt::format("other programs use {:.0f} % of the cores; the trainer waits for "
                                  "one {:.1f} % of its time",
                                  100 * (*others).busy_share(),
                                  100 * delayed)};
  }
  const Gain gain = gain_of_share(input.measures, {.share = lost.total()}, "run-queue delay");
  Fix fix = keep_others_off(host.setup);
  fix.predicted_step = gain.step_if_fixed;
  return {
      .finding = Finding{
          .id = "HOST005",
          .title = fmt::format("other programs use {:.0f} % of the cores; the trainer waits for "
                               "one {:.0f} % of its time",
                               100 * ((*others).busy_share() + (*others).stolen_share()),
                               100 * std::max(delayed, (*others).stolen_share())),
          .severity = severity_of(gain),
          .evidence = {{.metric = "others_share", .value = (*others).busy_share(), .unit = "1"},
                       {.metric = "stolen_share", .value = (*others).stolen_share(), .unit = "1"},
                       {.metric = "trainer_delay_share", .value = delayed, .unit = "1"},
                       {.metric = "loader_delay_share",
                        .value = (*use).loader_delay(),
                        .unit = "1"}},
          .gain = gain,
          .fixes = {std::move(fix)},
          .verify = kVerifyWithoutOthers,
          .may_be_wrong = kOthersWorkForThis,
          .part = lost.work >= lost.wait ? LedgerPart::work : LedgerPart::wait}};
}

RuleOutcome remote_node(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const HostSetup& setup = input.trace.host->setup;
  if (!setup.numa_nodes) {
    return skipped_for(setup.numa_nodes);
  }
  if (*setup.numa_nodes < 2) {
    return {.passed = "one memory node"};
  }
  if (!input.trace.gpus || !input.trace.gpus->setup || !setup.core_nodes) {
    return {.skipped = "which memory node the GPU hangs on is not known"};
  }
  for (const GpuFacts& gpu : (*input.trace.gpus->setup).gpus) {
    const std::string node = gpu.numa_node ? fmt::format("{:.0f}", *gpu.numa_node) : std::string();
    if (node.empty() || *setup.core_nodes == node) {
      continue;
    }
    return {.finding = Finding{
                .id = "HOST006",
                .title = fmt::format("GPU {} hangs on memory node {}, the threads may run on {}",
                                     gpu.bus_id.value().value_or("?"),
                                     node,
                                     *setup.core_nodes),
                .severity = FindingSeverity::info,
                .evidence = {{.metric = "gpu_node", .value = *gpu.numa_node, .unit = "node"},
                             {.metric = "nodes", .value = *setup.numa_nodes, .unit = "nodes"}},
                .gain = no_gain(input.measures),
                .fixes = {{.key = std::string(kSystemFix),
                           .flag = fmt::format(
                               "numactl --cpunodebind={} --preferred={} qanat ...", node, node)}},
                .verify = "the same command with and without numactl, then: qanat report",
                .may_be_wrong = "copies are hidden behind work, so their way does not matter"}};
  }
  return {.passed = fmt::format("threads run on the node of the GPU ({})", *setup.core_nodes)};
}

RuleOutcome swapping(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const HostTrace& host = *input.trace.host;
  const Reading<double> in = host.share(&HostCounters::swapped_in);
  const Reading<double> out = host.share(&HostCounters::swapped_out);
  if (!in || !out) {
    return skipped_for(in ? out : in);
  }
  const double rate = *in + *out;
  if (rate < kSwapRate) {
    return {.passed = fmt::format("{:.2f} MB/s go to the swap area and back", rate / 1e6)};
  }
  const double stalled = host.share(&HostCounters::memory_full).value().value_or(0);
  const Gain gain =
      gain_of_share(input.measures, {.share = stalled, .low = 0.3, .high = 1.2}, "pressure stalls");
  return {.finding = Finding{
              .id = "HOST007",
              .title = fmt::format("memory is short: {:.1f} MB/s go to the swap area and back",
                                   rate / 1e6),
              .severity = std::max(severity_of(gain), FindingSeverity::warn),
              .evidence = {{.metric = "swapped_in", .value = *in, .unit = "B/s"},
                           {.metric = "swapped_out", .value = *out, .unit = "B/s"},
                           {.metric = "memory_full_share", .value = stalled, .unit = "1"}},
              .gain = gain,
              .fixes = {{.key = "pipeline.feature_cache", .flag = "--set pipeline.feature_cache=0"},
                        {.key = "data.pipeline_buffer_size", .flag = "--buffer-size 4"}},
              .verify = verify_command("HOST007"),
              .may_be_wrong = "another program of the machine is the one that swaps"}};
}

RuleOutcome slow_governor(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const HostSetup& setup = input.trace.host->setup;
  if (!setup.governor) {
    return {.skipped = setup.governor.why_not()};
  }
  // With these drivers the governor of that name raises clocks by itself.
  const std::string driver = setup.clock_driver.value().value_or("");
  const bool dynamic = driver.starts_with("intel_pstate") || driver.starts_with("amd-pstate");
  if (setup.governor.value()->find("powersave") == std::string::npos || dynamic) {
    return {.passed = fmt::format("governor {} ({})", *setup.governor, driver)};
  }
  return {.finding = Finding{
              .id = "HOST008",
              .title = fmt::format("the governor keeps cores at their lowest clock ({}, {})",
                                   *setup.governor,
                                   driver.empty() ? "unknown driver" : driver),
              .severity = FindingSeverity::warn,
              .evidence = {{.metric = "cores",
                            .value = setup.online_cores.value().value_or(0),
                            .unit = "cores"}},
              .gain = no_gain(input.measures),
              .fixes = {{.key = std::string(kSystemFix),
                         .flag = "sudo cpupower frequency-set -g performance"}},
              .verify = "measure again: qanat diagnose with the same flags",
              .may_be_wrong = "the firmware decides about clocks whatever the governor says"}};
}

RuleOutcome locked_memory_limit(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const Reading<double>& limit = input.trace.host->setup.locked_memory;
  if (limit.is_unlimited()) {
    return {.passed = "any amount of memory may be page-locked"};
  }
  if (!limit) {
    return skipped_for(limit);
  }
  if (!input.trace.gpus || !input.trace.gpus->setup) {
    return {.passed = fmt::format("{:.0f} MB may be page-locked; without a GPU it wins nothing",
                                  *limit / 1e6)};
  }
  if (!input.trace.pipeline) {
    return {.skipped = "the journal has no line about the loader, whose blocks are page-locked"};
  }
  const auto blocks = static_cast<double>(input.trace.pipeline->window.allocated.value);
  if (blocks <= *limit) {
    return {.passed = fmt::format("batches take {:.0f} MB, {:.0f} MB may be page-locked",
                                  blocks / 1e6,
                                  *limit / 1e6)};
  }
  return {
      .finding = Finding{
          .id = "HOST009",
          .title = fmt::format("batches take {:.0f} MB, but only {:.0f} MB may be page-locked",
                               blocks / 1e6,
                               *limit / 1e6),
          .severity = FindingSeverity::info,
          .evidence = {{.metric = "blocks", .value = blocks, .unit = "B"},
                       {.metric = "limit", .value = *limit, .unit = "B"}},
          .gain = no_gain(input.measures),
          .fixes = {{.key = std::string(kSystemFix),
                     .flag = "ulimit -l unlimited, or docker run --ulimit memlock=-1"}},
          .verify = "ulimit -l; then measure again",
          .may_be_wrong = "CUDA page-locks through its driver, which this limit does not bind"}};
}

}  // namespace qanat
