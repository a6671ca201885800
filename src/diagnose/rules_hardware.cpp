#include "diagnose/rules_hardware.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/rule_parts.h"

namespace qanat {
namespace {

constexpr double kLimitedShare = 0.05;  // of the busy time
constexpr double kNearlyFull = 0.95;

std::string name_of(const GpuFacts& gpu) {
  return fmt::format(
      "{} ({})", gpu.name.value().value_or("a GPU"), gpu.bus_id.value().value_or("place unknown"));
}

// What is known of the GPU for which `is_found` holds first; null when there is none.
struct Seen {
  const GpuFacts* facts = nullptr;
  const GpuHistory* history = nullptr;
};

template <typename Predicate>
Seen find_gpu(const GpuTrace& trace, Predicate is_found) {
  const std::vector<GpuFacts>& facts = (*trace.setup).gpus;
  for (std::size_t i = 0; i < std::min(facts.size(), trace.gpus.size()); ++i) {
    if (is_found(facts[i], trace.gpus[i])) {
      return {.facts = &facts[i], .history = &trace.gpus[i]};
    }
  }
  return {};
}

// Rules about samples need some.
std::optional<RuleOutcome> settled_without_samples(const RunTrace& trace) {
  const Reading<GpuSetup> setup = gpus_of(trace);
  if (!setup) {
    return RuleOutcome{.skipped = setup.why_not()};
  }
  if (trace.gpus->gpus.empty() || trace.gpus->gpus.front().samples == 0) {
    return RuleOutcome{.skipped = "the GPUs were listed, but not looked at"};
  }
  return std::nullopt;
}

// Of a limited clock against a free one, or against the most the card can do.
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

}  // namespace

RuleOutcome unused_gpu(const RuleInput& input) {
  const Reading<GpuSetup> setup = gpus_of(input.trace);
  if (!setup) {
    return {.skipped = fmt::format("no NVIDIA GPU can be seen: {}", setup.why_not())};
  }
  const auto device = input.trace.run.find("device");
  const std::string trains_on =
      device != input.trace.run.end() && device->is_string() ? device->get<std::string>() : "";
  if (trains_on.starts_with("cuda")) {
    return {.passed = fmt::format("{} GPUs, training on {}", (*setup).gpus.size(), trains_on)};
  }
  return {.finding =
              Finding{.id = "HW001",
                      .title = fmt::format("{} is here, but this run does not use it{}",
                                           name_of((*setup).gpus.front()),
                                           trains_on.empty() ? "" : ": it trains on " + trains_on),
                      .severity = FindingSeverity::warn,
                      .evidence = {{.metric = "gpus",
                                    .value = static_cast<double>((*setup).gpus.size()),
                                    .unit = "GPUs"}},
                      .gain = no_gain(input.measures),
                      .fixes = {system_fix("build against a libtorch with CUDA: "
                                           "cmake --preset release -DCMAKE_PREFIX_PATH=LIBTORCH")},
                      .verify = "qanat devices",
                      .may_be_wrong = "the card is meant for something else"}};
}

RuleOutcome driver_mismatch(const RuleInput& input) {
  const Reading<GpuSetup> setup = gpus_of(input.trace);
  if (setup) {
    return {.passed = fmt::format("driver {} answers", (*setup).driver)};
  }
  const bool mismatch = setup.why_not().ends_with("(18)");
  if (!mismatch && !setup.why_not().ends_with("(9)")) {
    return {.skipped = setup.why_not()};
  }
  return {
      .finding = Finding{
          .id = "HW002",
          .title = mismatch ? "the NVIDIA library and the loaded driver are of different "
                              "versions"
                            : "the NVIDIA library is here, but its driver is not loaded",
          .severity = FindingSeverity::crit,
          .evidence = {{.metric = "nvml_error", .value = mismatch ? 18.0 : 9.0, .unit = "code"}},
          .gain = no_gain(input.measures),
          .fixes = {system_fix(mismatch ? "reboot after the update of the driver"
                                        : "sudo modprobe nvidia; in a container: docker run "
                                          "--gpus all")},
          .verify = "nvidia-smi",
          .may_be_wrong = {}}};
}

RuleOutcome device_order(const RuleInput& input) {
  const Reading<GpuSetup> setup = gpus_of(input.trace);
  if (!setup) {
    return {.skipped = setup.why_not()};
  }
  std::set<std::string> names;
  for (const GpuFacts& gpu : (*setup).gpus) {
    names.insert(gpu.name.value().value_or(""));
  }
  const bool by_bus = (*setup).order && *(*setup).order == "PCI_BUS_ID";
  if (names.size() < 2 || by_bus) {
    return {.passed = by_bus ? "GPUs are numbered by bus, as nvidia-smi does"
                             : "all GPUs are alike, so their order does not matter"};
  }
  return {.finding = Finding{
              .id = "HW003",
              .title = fmt::format("GPUs of different kinds ({}) are numbered fastest first, not "
                                   "as nvidia-smi numbers them",
                                   fmt::join(names, ", ")),
              .severity = FindingSeverity::info,
              .evidence = {{.metric = "kinds",
                            .value = static_cast<double>(names.size()),
                            .unit = "kinds"}},
              .gain = no_gain(input.measures),
              .fixes = {system_fix("export CUDA_DEVICE_ORDER=PCI_BUS_ID")},
              .verify = "qanat devices, beside nvidia-smi -L",
              .may_be_wrong = "--data-gpu and --model-gpu already name the ones that are meant"}};
}

RuleOutcome clock_limited(const RuleInput& input) {
  if (auto settled = settled_without_samples(input.trace)) {
    return *settled;
  }
  const Seen seen = find_gpu(*input.trace.gpus, [](const GpuFacts&, const GpuHistory& history) {
    return history.busy > 0 && history.num_limited >= kLimitedShare * history.busy &&
           history.num_limited > 0;
  });
  if (seen.facts == nullptr) {
    return {.passed = "clocks were not limited while the GPUs worked"};
  }
  const auto reason = std::ranges::max_element(
      seen.history->limited, {}, [](const auto& entry) { return entry.second; });
  const double share = static_cast<double>(reason->second) / seen.history->busy;
  const RunMeasures& m = input.measures;
  const double lost = lost_to_clocks(*seen.facts, *seen.history) * m.share(m.ledger.busy());
  const Gain gain = gain_of_share(m, {.share = lost, .low = 0.3, .high = 1.0}, "clocks");
  const bool hot = reason->first == ClockLimit::thermal ||
                   reason->first == ClockLimit::hardware_thermal ||
                   reason->first == ClockLimit::hardware;
  return {.finding = Finding{
              .id = "HW004",
              .title = fmt::format("{} ran below its clock {:.0f} % of its busy time: {}",
                                   name_of(*seen.facts),
                                   100 * share,
                                   to_string(reason->first)),
              .severity = severity_of(gain),
              .evidence = {{.metric = "limited_share", .value = share, .unit = "1"},
                           {.metric = "temperature",
                            .value = seen.history->last.temperature.value().value_or(0),
                            .unit = "degrees C"},
                           {.metric = "power",
                            .value = seen.history->last.power.value().value_or(0),
                            .unit = "W"}},
              .gain = gain,
              .fixes = {system_fix(hot ? "cool the card: fans, dust, room between cards"
                                       : "sudo nvidia-smi -pl WATTS, up to what card and supply "
                                         "allow")},
              .verify = "nvidia-smi -q -d PERFORMANCE while it trains",
              .may_be_wrong = "part of a step does not depend on the clock"}};
}

RuleOutcome narrow_link(const RuleInput& input) {
  if (auto settled = settled_without_samples(input.trace)) {
    return *settled;
  }
  bool known = false;
  const Seen seen =
      find_gpu(*input.trace.gpus, [&known](const GpuFacts& facts, const GpuHistory& history) {
        // An idle link is slow on purpose.
        if (history.busy == 0 || history.link_gen <= 0 || !facts.link_gen_max ||
            !facts.link_width_max) {
          return false;
        }
        known = true;
        return history.link_gen < *facts.link_gen_max || history.link_width < *facts.link_width_max;
      });
  if (!known) {
    return {.skipped = "no GPU was busy while its link was looked at"};
  }
  if (seen.facts == nullptr) {
    return {.passed = "links are as wide and fast as the cards allow"};
  }
  const RunMeasures& m = input.measures;
  const Gain gain = gain_of_share(
      m, {.share = 0.5 * m.share(m.ledger.transfer), .low = 0, .high = 1.5}, "ledger");
  return {.finding = Finding{
              .id = "HW005",
              .title = fmt::format("the link of {} runs at generation {:.0f} x{:.0f}, it could do "
                                   "{:.0f} x{:.0f}",
                                   name_of(*seen.facts),
                                   seen.history->link_gen,
                                   seen.history->link_width,
                                   *seen.facts->link_gen_max,
                                   *seen.facts->link_width_max),
              .severity = severity_of(gain),
              .evidence =
                  {{.metric = "link_gen", .value = seen.history->link_gen, .unit = "gen"},
                   {.metric = "link_width", .value = seen.history->link_width, .unit = "lanes"},
                   {.metric = "transfer_share", .value = m.share(m.ledger.transfer), .unit = "1"}},
              .gain = gain,
              .fixes = {system_fix("seat the card in a slot with all lanes; look for a limit in "
                                   "the firmware setup")},
              .verify = "qanat validate measures the link in GB/s",
              .may_be_wrong = "the board has no better slot; transfers are hidden behind work"}};
}

RuleOutcome memory_errors(const RuleInput& input) {
  if (auto settled = settled_without_samples(input.trace)) {
    return *settled;
  }
  bool known = false;
  const auto set = [](const Reading<double>& reading) { return reading.value().value_or(0) > 0; };
  const Seen seen = find_gpu(*input.trace.gpus, [&](const GpuFacts&, const GpuHistory& history) {
    const GpuSample& last = history.last;
    known = known || last.uncorrected_errors || last.remap_pending;
    return set(last.uncorrected_errors) || set(last.remap_pending) || set(last.remap_failed);
  });
  if (seen.facts == nullptr) {
    return known ? RuleOutcome{.passed = "no uncorrected errors, no rows wait to be replaced"}
                 : RuleOutcome{.skipped = "these GPUs do not count errors of their memory"};
  }
  const GpuSample& last = seen.history->last;
  return {.finding = Finding{
              .id = "HW006",
              .title = fmt::format("the memory of {} has errors", name_of(*seen.facts)),
              .severity = FindingSeverity::crit,
              .evidence = {{.metric = "uncorrected_errors",
                            .value = last.uncorrected_errors.value().value_or(0),
                            .unit = "errors"},
                           {.metric = "remap_pending",
                            .value = last.remap_pending.value().value_or(0),
                            .unit = "1"},
                           {.metric = "remap_failed",
                            .value = last.remap_failed.value().value_or(0),
                            .unit = "1"}},
              .gain = no_gain(input.measures),
              .fixes = {system_fix("reset the card (sudo nvidia-smi -r) to replace the rows; when "
                                   "it happens again, replace the card")},
              .verify = "nvidia-smi -q -d ECC,ROW_REMAPPER",
              .may_be_wrong = "the errors happened before this run"}};
}

RuleOutcome driver_errors(const RuleInput& input) {
  if (input.trace.gpus && !input.trace.gpus->silent.empty()) {
    return {.finding = Finding{.id = "HW007",
                               .title = input.trace.gpus->silent,
                               .severity = FindingSeverity::crit,
                               .evidence = {{.metric = "silent", .value = 1, .unit = "1"}},
                               .gain = no_gain(input.measures),
                               .fixes = {system_fix("reset the card or reboot")},
                               .verify = "nvidia-smi; dmesg | grep -i xid",
                               .may_be_wrong = "the machine was too busy to answer in time"}};
  }
  if (auto settled = settled_without_samples(input.trace)) {
    return *settled;
  }
  const Seen seen = find_gpu(*input.trace.gpus, [](const GpuFacts&, const GpuHistory& history) {
    return history.lost || !history.xids.empty();
  });
  if (seen.facts == nullptr) {
    return {.passed = "the driver reported no errors, no GPU was lost"};
  }
  const double xid = seen.history->xids.empty() ? 0 : seen.history->xids.back();
  const std::string what = seen.history->lost ? "was lost: the driver cannot reach it any more"
                                              : fmt::format("had error {:.0f} (Xid)", xid);
  return {.finding = Finding{
              .id = "HW007",
              .title = fmt::format("{} {}", name_of(*seen.facts), what),
              .severity = FindingSeverity::crit,
              .evidence = {{.metric = "lost", .value = seen.history->lost ? 1.0 : 0.0, .unit = "1"},
                           {.metric = "xids",
                            .value = static_cast<double>(seen.history->xids.size()),
                            .unit = "errors"}},
              .gain = no_gain(input.measures),
              .fixes = {system_fix("reset the card (sudo nvidia-smi -r) or reboot; check power and "
                                   "seating when it happens again")},
              .verify = "dmesg | grep -i xid",
              .may_be_wrong = "Xid 13, 31 and 45 can be caused by a program"}};
}

RuleOutcome shared_gpu(const RuleInput& input) {
  if (auto settled = settled_without_samples(input.trace)) {
    return *settled;
  }
  bool known = false;
  const Seen seen = find_gpu(*input.trace.gpus, [&known](const GpuFacts&, const GpuHistory& h) {
    known = known || h.last.other_processes;
    return h.last.other_processes.value().value_or(0) > 0;
  });
  if (seen.facts == nullptr) {
    return known ? RuleOutcome{.passed = "no other process computes on these GPUs"}
                 : RuleOutcome{.skipped = "this driver does not list processes"};
  }
  return {.finding =
              Finding{.id = "HW008",
                      .title = fmt::format("{:.0f} other process{} on {}",
                                           *seen.history->last.other_processes,
                                           *seen.history->last.other_processes == 1 ? "" : "es",
                                           name_of(*seen.facts)),
                      .severity = FindingSeverity::warn,
                      .evidence = {{.metric = "other_processes",
                                    .value = *seen.history->last.other_processes,
                                    .unit = "processes"}},
                      .gain = no_gain(input.measures),
                      .fixes = {system_fix("stop them, or choose another card with --model-gpu")},
                      .verify = "nvidia-smi",
                      .may_be_wrong = "they only hold memory and compute nothing now"}};
}

RuleOutcome memory_full(const RuleInput& input) {
  if (auto settled = settled_without_samples(input.trace)) {
    return *settled;
  }
  double most = 0;
  const Seen seen =
      find_gpu(*input.trace.gpus, [&most](const GpuFacts& facts, const GpuHistory& history) {
        const double share =
            facts.memory && *facts.memory > 0 ? history.memory_most / *facts.memory : 0;
        most = std::max(most, share);
        return share > kNearlyFull;
      });
  if (seen.facts == nullptr) {
    return most > 0 ? RuleOutcome{.passed = fmt::format("at most {:.0f} % of the memory of a GPU "
                                                        "was used",
                                                        100 * most)}
                    : RuleOutcome{.skipped = "these GPUs do not say how much memory is used"};
  }
  return {.finding = Finding{
              .id = "HW009",
              .title = fmt::format(
                  "{:.0f} % of the memory of {} is used", 100 * most, name_of(*seen.facts)),
              .severity = FindingSeverity::info,
              .evidence = {{.metric = "memory_share", .value = most, .unit = "1"}},
              .gain = no_gain(input.measures),
              .fixes = {{.key = "data.batch_size", .flag = "--batch-size 8"}},
              .verify = "qanat devices --memory-table",
              .may_be_wrong = "libtorch keeps memory it may need again; it is not all in use"}};
}

RuleOutcome persistence_off(const RuleInput& input) {
  const Reading<GpuSetup> setup = gpus_of(input.trace);
  if (!setup) {
    return {.skipped = setup.why_not()};
  }
  const GpuFacts& gpu = (*setup).gpus.front();
  if (!gpu.persistence) {
    return {.skipped = gpu.persistence.why_not()};
  }
  if (*gpu.persistence != 0) {
    return {.passed = "the driver stays loaded between runs"};
  }
  return {.finding = Finding{
              .id = "HW010",
              .title = "the driver unloads between runs: each one starts a second or more later",
              .severity = FindingSeverity::info,
              .evidence = {{.metric = "persistence", .value = 0, .unit = "1"}},
              .gain = no_gain(input.measures),
              .fixes = {system_fix("sudo systemctl enable --now nvidia-persistenced")},
              .verify = "nvidia-smi -q -d PERFORMANCE",
              .may_be_wrong = "a display keeps the driver loaded anyway"}};
}

}  // namespace qanat
