// Rules about GPUs: whether they are used, fast, healthy and alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "diagnose/rule_parts.h"
#include "locale/messages/findings_hardware.h"
#include "locale/messages/verdicts.h"
#include "monitor/reading_words.h"

namespace qanat {
namespace {

constexpr double kLimitedShare = 0.05;  // of the busy time
constexpr double kNearlyFull = 0.95;
constexpr double kDriverMismatch = 18;  // errors of NVML
constexpr double kDriverNotLoaded = 9;
constexpr double kBusyApart = 0.10;     // ten points
constexpr int kMinResidentSamples = 3;  // each is of the last moments only

// What is known of the GPU for which `is_found` holds first; null when there is none.
struct Seen {
  const GpuFacts* facts = nullptr;
  const GpuHistory* history = nullptr;
  std::size_t index = 0;  // as the driver counts them
};

// By name and bus address; where the driver does not tell, by number.
Message name_of(const Seen& gpu) {
  const GpuFacts& facts = *gpu.facts;
  const MessageArg name = facts.name ? MessageArg(*facts.name) : MessageArg(msg::gpu_unnamed{});
  if (facts.bus_id) {
    return msg::gpu_name{.name = name, .bus = *facts.bus_id};
  }
  return facts.name ? Message(msg::gpu_numbered{.name = name, .index = gpu.index})
                    : msg::gpu_number{.index = gpu.index};
}

// The ranks whose GPUs this machine has: this one, and others with their journals.
std::vector<const RunSummary*> ranks_here(const RunSummary& summary) {
  std::vector<const RunSummary*> ranks{&summary};
  for (const RunSummary& other : summary.others) {
    if (other.run.host == summary.run.host) {
      ranks.push_back(&other);
    }
  }
  return ranks;
}

// Bus addresses of the GPUs that the run uses; none: the journal does not say.
std::set<std::string> used_gpus(const RunSummary& summary) {
  std::set<std::string> used;
  for (const RunSummary* const rank : ranks_here(summary)) {
    for (const CudaDeviceUsed& device : rank->cuda_devices) {
      used.insert(device.bus_id);
    }
  }
  return used;
}

// Looks at the GPUs of the run; at all where it is not known which those are. What others do with
// theirs is no matter of this run.
template <typename Predicate>
Seen find_gpu(const RunSummary& summary, Predicate is_found) {
  const std::set<std::string> used = used_gpus(summary);
  const GpuSummary& gpus = *summary.gpus;
  const std::vector<GpuFacts>& facts = (*gpus.setup).gpus;
  for (std::size_t i = 0; i < std::min(facts.size(), gpus.gpus.size()); ++i) {
    const bool is_ours = used.empty() || !facts[i].bus_id || used.contains(*facts[i].bus_id);
    if (is_ours && is_found(facts[i], gpus.gpus[i])) {
      return {.facts = &facts[i], .history = &gpus.gpus[i], .index = i};
    }
  }
  return {};
}

// A warning is about a GPU that the run is known to use. Without a run the machine is asked for,
// and that is all of them.
FindingSeverity severity_of_gpu(const RunSummary& summary, FindingSeverity severity) {
  const bool may_be_of_others = summary.num_steps() > 0 && used_gpus(summary).empty();
  return may_be_of_others ? FindingSeverity::info : severity;
}

// Errors that a program makes, not a card: a bad address, a kernel that was killed, and the like.
bool is_of_program(double xid) {
  constexpr std::array kOfPrograms = {13, 31, 32, 43, 45, 66, 69, 109};
  return std::ranges::find(kOfPrograms, std::lround(xid)) != kOfPrograms.end();
}

Message to_message(ClockLimit limit) {
  switch (limit) {
    case ClockLimit::thermal:
    case ClockLimit::hardware_thermal:
      return msg::clock_thermal{};
    case ClockLimit::power_cap:
      return msg::clock_power{};
    case ClockLimit::hardware:
      return msg::clock_hardware{};
    default:
      return msg::clock_other{.name = to_string(limit)};
  }
}

// Compares a limited clock with a free one, or with the most the card can do.
double lost_to_clocks(const GpuFacts& facts, const GpuHistory& history) {
  if (history.num_limited == 0) {
    return 0;
  }
  const double limited = history.clock_limited / history.num_limited;
  const double best = history.num_free > 0 ? history.clock_free / history.num_free
                                           : facts.clock_max.value().value_or(limited);
  const double share = static_cast<double>(history.num_limited) / std::max(history.busy, 1);
  return best > limited ? share * (1 - limited / best) : 0;
}

RuleOutcome unused_gpu(const RuleInput& input) {
  const GpuSetup& setup = *input.summary.gpus->setup;
  const std::string trains_on = input.summary.run.device.value_or("");
  if (trains_on.starts_with("cuda")) {
    return passed(msg::hw001_ok{.gpus = setup.gpus.size(), .device = trains_on});
  }
  const Message gpu = name_of({.facts = &setup.gpus.front()});
  return Finding{.title = trains_on.empty()
                              ? Message(msg::hw001_title{.gpu = gpu})
                              : msg::hw001_title_with_device{.gpu = gpu, .device = trains_on},
                 .severity = FindingSeverity::warn,
                 .evidence = {{metric::gpus, static_cast<double>(setup.gpus.size())}},
                 .fixes = {do_this(msg::hw001_build{})},
                 .verify = by_command("qanat devices"),
                 .may_be_wrong = msg::hw001_wrong_if{}};
}

RuleOutcome driver_mismatch(const RuleInput& input) {
  const Reading<GpuSetup> setup = gpus_of(input.summary);
  if (setup) {
    return passed(msg::hw002_ok{.driver = (*setup).driver});
  }
  const bool mismatch = setup.why_not().ends_with("(18)");
  if (!mismatch && !setup.why_not().ends_with("(9)")) {
    return *unmet(Need::gpus, input);
  }
  return Finding{
      .title = mismatch ? Message(msg::hw002_mismatch_title{}) : msg::hw002_not_loaded_title{},
      .severity = FindingSeverity::crit,
      .evidence = {{metric::nvml_error, mismatch ? kDriverMismatch : kDriverNotLoaded}},
      .fixes = {do_this(mismatch ? Message(msg::hw002_reboot{}) : msg::hw002_load{})},
      .verify = by_command("nvidia-smi")};
}

RuleOutcome device_order(const RuleInput& input) {
  const GpuSetup& setup = *input.summary.gpus->setup;
  std::set<std::string> names;
  for (const GpuFacts& gpu : setup.gpus) {
    names.insert(gpu.name.value().value_or(""));
  }
  if (setup.order && *setup.order == "PCI_BUS_ID") {
    return passed(msg::hw003_by_bus{});
  }
  if (names.size() < 2) {
    return passed(msg::hw003_alike{});
  }
  return Finding{
      .title = msg::hw003_title{.names = std::vector<std::string>(names.begin(), names.end())},
      .evidence = {{metric::kinds, static_cast<double>(names.size())}},
      .fixes = {do_this(msg::verbatim_text{.text = "export CUDA_DEVICE_ORDER=PCI_BUS_ID"})},
      .verify = msg::hw003_verify{},
      .may_be_wrong = msg::hw003_wrong_if{}};
}

RuleOutcome clock_limited(const RuleInput& input) {
  const Seen seen = find_gpu(input.summary, [](const GpuFacts&, const GpuHistory& history) {
    return history.busy > 0 && history.num_limited >= kLimitedShare * history.busy &&
           history.num_limited > 0;
  });
  if (seen.facts == nullptr) {
    return passed(msg::hw004_ok{});
  }
  const auto reason = std::ranges::max_element(
      seen.history->limited, {}, [](const auto& entry) { return entry.second; });
  const double share = static_cast<double>(reason->second) / seen.history->busy;
  const RunMeasures& m = input.measures;
  const double lost = lost_to_clocks(*seen.facts, *seen.history) * m.share(m.breakdown.busy());
  const Gain gain = gain_of_share(m, {.share = lost, .low = 0.3, .high = 1.0}, GainMethod::clocks);
  const bool hot = reason->first == ClockLimit::thermal ||
                   reason->first == ClockLimit::hardware_thermal ||
                   reason->first == ClockLimit::hardware;
  const GpuSample& last = seen.history->last;
  return Finding{.title = msg::hw004_title{.gpu = name_of(seen),
                                           .share = in_percent(share),
                                           .reason = to_message(reason->first)},
                 .severity = severity_of_gpu(input.summary, severity_of(gain)),
                 .evidence = {{metric::limited_share, share},
                              {metric::temperature, last.temperature.value().value_or(0)},
                              {metric::power, last.power.value().value_or(0)}},
                 .gain = gain,
                 .fixes = {do_this(hot ? Message(msg::hw004_cool{}) : msg::hw004_power{})},
                 .verify = msg::hw004_verify{},
                 .may_be_wrong = msg::hw004_wrong_if{}};
}

RuleOutcome narrow_link(const RuleInput& input) {
  bool known = false;
  const Seen seen =
      find_gpu(input.summary, [&known](const GpuFacts& facts, const GpuHistory& history) {
        // An idle link is slow on purpose.
        if (history.busy == 0 || history.link_gen <= 0 || !facts.link_gen_max ||
            !facts.link_width_max) {
          return false;
        }
        known = true;
        return history.link_gen < *facts.link_gen_max || history.link_width < *facts.link_width_max;
      });
  if (!known) {
    return skipped(msg::hw005_idle{}, Missing::gpu);
  }
  if (seen.facts == nullptr) {
    return passed(msg::hw005_ok{});
  }
  const RunMeasures& m = input.measures;
  const Gain gain =
      gain_of_share(m,
                    {.share = 0.5 * m.share(m.breakdown.transfer), .low = 0, .high = 1.5},
                    GainMethod::breakdown);
  return Finding{
      .title = msg::hw005_title{.gpu = name_of(seen),
                                .generation = std::lround(seen.history->link_gen),
                                .width = std::lround(seen.history->link_width),
                                .best_generation = std::lround(*seen.facts->link_gen_max),
                                .best_width = std::lround(*seen.facts->link_width_max)},
      .severity = severity_of_gpu(input.summary, severity_of(gain)),
      .evidence = {{metric::link_gen, seen.history->link_gen},
                   {metric::link_width, seen.history->link_width},
                   {metric::transfer_share, m.share(m.breakdown.transfer)}},
      .gain = gain,
      .fixes = {do_this(msg::hw005_reseat{})},
      .verify = msg::hw005_verify{},
      .may_be_wrong = msg::hw005_wrong_if{}};
}

RuleOutcome memory_errors(const RuleInput& input) {
  bool known = false;
  const auto set = [](const Reading<double>& reading) { return reading.value().value_or(0) > 0; };
  const Seen seen = find_gpu(input.summary, [&](const GpuFacts&, const GpuHistory& history) {
    const GpuSample& last = history.last;
    known = known || last.uncorrected_errors || last.remap_pending;
    return set(last.uncorrected_errors) || set(last.remap_pending) || set(last.remap_failed);
  });
  if (seen.facts == nullptr) {
    return known ? passed(msg::hw006_ok{}) : skipped(msg::hw006_uncounted{});
  }
  const GpuSample& last = seen.history->last;
  return Finding{
      .title = msg::hw006_title{.gpu = name_of(seen)},
      .severity = severity_of_gpu(input.summary, FindingSeverity::crit),
      .evidence = {{metric::uncorrected_errors, last.uncorrected_errors.value().value_or(0)},
                   {metric::remap_pending, last.remap_pending.value().value_or(0)},
                   {metric::remap_failed, last.remap_failed.value().value_or(0)}},
      .fixes = {do_this(msg::hw006_reset{})},
      .verify = by_command("nvidia-smi -q -d ECC,ROW_REMAPPER"),
      .may_be_wrong = msg::hw006_wrong_if{}};
}

RuleOutcome driver_errors(const RuleInput& input) {
  if (input.summary.gpus && !input.summary.gpus->silent.empty()) {
    return Finding{.title = msg::verbatim_text{.text = reading_words(input.summary.gpus->silent)},
                   .severity = FindingSeverity::crit,
                   .evidence = {{metric::silent, 1}},
                   .fixes = {do_this(msg::hw007_reset_or_reboot{})},
                   .verify = by_command("nvidia-smi; dmesg | grep -i xid"),
                   .may_be_wrong = msg::hw007_slow_answer{}};
  }
  if (auto lacking = unmet(Need::gpu_samples, input)) {
    return *lacking;
  }
  const Seen seen = find_gpu(input.summary, [](const GpuFacts&, const GpuHistory& history) {
    return history.lost || !history.xids.empty();
  });
  if (seen.facts == nullptr) {
    return passed(msg::hw007_ok{});
  }
  // The worst of them: an error of the card before one of a program.
  const std::vector<double>& xids = seen.history->xids;
  const auto of_card = std::ranges::find_if_not(xids, is_of_program);
  const bool is_program = !seen.history->lost && of_card == xids.end();
  const double xid = of_card != xids.end() ? *of_card : (xids.empty() ? 0 : xids.back());
  const Message gpu = name_of(seen);
  const Message title = seen.history->lost ? Message(msg::hw007_lost_title{.gpu = gpu})
                        : is_program
                            ? msg::hw007_program_title{.gpu = gpu, .xid = std::lround(xid)}
                            : Message(msg::hw007_xid_title{.gpu = gpu, .xid = std::lround(xid)});
  return Finding{
      .title = title,
      .severity = severity_of_gpu(input.summary,
                                  is_program ? FindingSeverity::warn : FindingSeverity::crit),
      .evidence = {{metric::lost, seen.history->lost ? 1.0 : 0.0},
                   {metric::xids, static_cast<double>(xids.size())}},
      .fixes = {do_this(is_program ? Message(msg::hw007_find_program{}) : msg::hw007_reset{})},
      .verify = by_command("dmesg | grep -i xid"),
      .may_be_wrong = msg::hw007_wrong_if{}};
}

// Processes of this run on the machine, besides this one.
double other_ranks_here(const RunSummary& summary) {
  const double known = static_cast<double>(ranks_here(summary).size() - 1);
  return summary.others.empty() ? num_other_ranks(summary.run) : known;
}

RuleOutcome shared_gpu(const RuleInput& input) {
  bool known = false;
  const double ours = other_ranks_here(input.summary);
  const Seen seen = find_gpu(input.summary, [&](const GpuFacts&, const GpuHistory& h) {
    known = known || h.last.other_processes;
    return h.last.other_processes.value().value_or(0) > ours;
  });
  if (seen.facts == nullptr) {
    return known ? passed(msg::hw008_ok{}) : skipped(msg::hw008_unlisted{});
  }
  const double others = *seen.history->last.other_processes - ours;
  return Finding{.title = msg::hw008_title{.processes = std::lround(others), .gpu = name_of(seen)},
                 .severity = severity_of_gpu(input.summary, FindingSeverity::warn),
                 .evidence = {{metric::other_processes, others}},
                 .fixes = {do_this(msg::hw008_stop{})},
                 .verify = by_command("nvidia-smi"),
                 .may_be_wrong = msg::hw008_wrong_if{}};
}

RuleOutcome memory_full(const RuleInput& input) {
  double most = 0;
  const Seen seen =
      find_gpu(input.summary, [&most](const GpuFacts& facts, const GpuHistory& history) {
        const double share =
            facts.memory && *facts.memory > 0 ? history.memory_most / *facts.memory : 0;
        most = std::max(most, share);
        return share > kNearlyFull;
      });
  if (seen.facts == nullptr) {
    return most > 0 ? passed(msg::hw009_ok{.share = in_percent(most)})
                    : skipped(msg::hw009_unknown{});
  }
  return Finding{.title = msg::hw009_title{.share = in_percent(most), .gpu = name_of(seen)},
                 .evidence = {{metric::memory_share, most}},
                 .fixes = {set_key("data.batch_size", std::max(1, batch_size_of(input) / 2))},
                 .verify = by_command("qanat devices --memory-table"),
                 .may_be_wrong = msg::hw009_wrong_if{}};
}

RuleOutcome persistence_off(const RuleInput& input) {
  const GpuSetup& setup = *input.summary.gpus->setup;
  const Reading<double>& persistence = setup.gpus.front().persistence;
  if (!persistence) {
    return skipped_for(persistence);
  }
  if (*persistence != 0) {
    return passed(msg::hw010_ok{});
  }
  return Finding{.title = msg::hw010_title{},
                 .evidence = {{metric::persistence, 0}},
                 .fixes = {do_this(msg::verbatim_text{
                     .text = "sudo systemctl enable --now nvidia-persistenced"})},
                 .verify = by_command("nvidia-smi -q -d PERFORMANCE"),
                 .may_be_wrong = msg::hw010_wrong_if{}};
}

// The GPU that the model trains on: the monitor counts all, a process those it sees.
Seen gpu_of_model(const RunSummary& summary) {
  const auto used = std::ranges::find(
      summary.cuda_devices, summary.run.device.value_or(""), &CudaDeviceUsed::device);
  if (used == summary.cuda_devices.end()) {
    return {};
  }
  return find_gpu(summary, [&](const GpuFacts& facts, const GpuHistory&) {
    return facts.bus_id && *facts.bus_id == used->bus_id;
  });
}

// Between kernels.
Fix fewer_gaps(const RuleInput& input) {
  return can_record_graphs(input.summary) ? set_key("training.enable_graph_mode", "true")
                                          : set_key("data.batch_size", 2 * batch_size_of(input));
}

// Events begin and end where the host says so; NVML sees whether a kernel is there.
RuleOutcome busy_disagrees(const RuleInput& input) {
  const Seen seen = gpu_of_model(input.summary);
  if (seen.facts == nullptr || seen.history->num_resident < kMinResidentSamples) {
    return skipped(msg::hw011_unknown{}, Missing::gpu);
  }
  const RunMeasures& m = input.measures;
  const double by_events = m.share(m.breakdown.busy());
  const double by_nvml = seen.history->resident / seen.history->num_resident;
  if (std::abs(by_events - by_nvml) <= kBusyApart) {
    return passed(msg::hw011_ok{.events = in_percent(by_events), .nvml = in_percent(by_nvml)});
  }
  return Finding{.title = msg::hw011_title{.gpu = name_of(seen),
                                           .events = in_percent(by_events),
                                           .nvml = in_percent(by_nvml)},
                 .severity = FindingSeverity::warn,
                 .evidence = {{metric::busy_by_events, by_events}, {metric::busy_by_nvml, by_nvml}},
                 .fixes = {by_nvml < by_events ? fewer_gaps(input) : do_this(msg::hw011_others{})},
                 .verify = msg::verify_rerun{},
                 .may_be_wrong = msg::hw011_wrong_if{}};
}

constexpr Rule gpu_rule(std::string_view id,
                        RuleText text,
                        RuleOutcome (*judge)(const RuleInput&),
                        Need needs) {
  return {
      .id = id, .category = RuleCategory::hardware, .text = text, .judge = judge, .needs = needs};
}

constexpr Rule gpu_fault_rule(std::string_view id,
                              RuleText text,
                              RuleOutcome (*judge)(const RuleInput&),
                              Need needs) {
  Rule rule = gpu_rule(id, text, judge, needs);
  rule.is_hardware_fault = true;
  return rule;
}

}  // namespace

std::span<const Rule> hardware_rules() {
  static constexpr std::array kRules = {
      gpu_rule("HW001",
               text_of<msg::hw001_looks_for, msg::hw001_means, msg::hw001_remedy>(),
               unused_gpu,
               Need::gpus),
      gpu_rule("HW002",
               text_of<msg::hw002_looks_for, msg::hw002_means, msg::hw002_remedy>(),
               driver_mismatch,
               Need::nothing),
      gpu_rule("HW003",
               text_of<msg::hw003_looks_for, msg::hw003_means, msg::hw003_remedy>(),
               device_order,
               Need::gpus),
      Rule{.id = "HW004",
           .category = RuleCategory::hardware,
           .text = text_of<msg::hw004_looks_for, msg::hw004_means, msg::hw004_remedy>(),
           .judge = clock_limited,
           .needs = Need::steps | Need::gpu_samples,
           .makes_steps_vary = true},
      gpu_rule("HW005",
               text_of<msg::hw005_looks_for, msg::hw005_means, msg::hw005_remedy>(),
               narrow_link,
               Need::steps | Need::gpu_samples),
      gpu_fault_rule("HW006",
                     text_of<msg::hw006_looks_for, msg::hw006_means, msg::hw006_remedy>(),
                     memory_errors,
                     Need::gpu_samples),
      gpu_fault_rule("HW007",
                     text_of<msg::hw007_looks_for, msg::hw007_means, msg::hw007_remedy>(),
                     driver_errors,
                     Need::nothing),
      gpu_rule("HW008",
               text_of<msg::hw008_looks_for, msg::hw008_means, msg::hw008_remedy>(),
               shared_gpu,
               Need::gpu_samples),
      gpu_rule("HW009",
               text_of<msg::hw009_looks_for, msg::hw009_means, msg::hw009_remedy>(),
               memory_full,
               Need::gpu_samples),
      gpu_rule("HW010",
               text_of<msg::hw010_looks_for, msg::hw010_means, msg::hw010_remedy>(),
               persistence_off,
               Need::gpus),
      gpu_rule("HW011",
               text_of<msg::hw011_looks_for, msg::hw011_means, msg::hw011_remedy>(),
               busy_disagrees,
               Need::steps | Need::gpu_samples),
  };
  return kRules;
}

}  // namespace qanat
