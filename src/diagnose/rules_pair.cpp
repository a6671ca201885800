#include "diagnose/rules_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "diagnose/rule_parts.h"

namespace qanat {
namespace {

constexpr double kSystemDistance = 50;    // NVML's word for "over the link between sockets"
constexpr double kFairShareOfLink = 0.7;  // large copies reach more on a healthy link
constexpr double kLeastCopy = 1 << 20;    // bytes; smaller copies are mostly their own beginning
constexpr std::size_t kFewestCopies = 20;
constexpr double kGiga = 1e9;
// Bytes per second of one lane of the first generation of PCI Express; each later one doubles it.
constexpr double kFirstLane = 0.25e9;

bool runs_on_two_gpus(const RunTrace& trace) {
  const auto mode = trace.run.find("mode");
  return mode != trace.run.end() && mode->is_string() && *mode == "multi_gpu";
}

FindingSeverity severity_of_pair(const RunTrace& trace) {
  return runs_on_two_gpus(trace) ? FindingSeverity::warn : FindingSeverity::info;
}

// The two GPUs, or why there is nothing to say of them.
Reading<GpuPair> pair_of(const RunTrace& trace) {
  const Reading<GpuSetup> setup = gpus_of(trace);
  if (!setup) {
    return Reading<GpuPair>::none(setup.why_not());
  }
  if ((*setup).pairs.empty()) {
    return Reading<GpuPair>::none("one GPU: there is no pair");
  }
  return (*setup).pairs.front();
}

// Bytes per second of the batches on their way from the data GPU to the model's.
Reading<double> copy_rate(const RunTrace& trace) {
  if (!runs_on_two_gpus(trace)) {
    return Reading<double>::none("a run on one GPU; `qanat validate` measures copies between two");
  }
  double bytes = 0;
  double seconds = 0;
  std::size_t copies = 0;
  for (const BatchWay& way : trace.ways) {
    if (way.bytes >= kLeastCopy && way.copy > 0) {
      bytes += way.bytes;
      seconds += way.copy;
      ++copies;
    }
  }
  if (copies < kFewestCopies) {
    return Reading<double>::none(fmt::format(
        "{} copies of a megabyte or more were timed; {} say something", copies, kFewestCopies));
  }
  return bytes / seconds;
}

// What the narrowest link of the GPUs at work can carry one way.
Reading<double> link_rate(const GpuTrace& gpus) {
  double narrowest = std::numeric_limits<double>::infinity();
  for (const GpuHistory& gpu : gpus.gpus) {
    if (gpu.busy > 0 && gpu.link_gen > 0 && gpu.link_width > 0) {
      narrowest = std::min(narrowest, kFirstLane * std::exp2(gpu.link_gen - 1) * gpu.link_width);
    }
  }
  return std::isfinite(narrowest)
             ? Reading<double>(narrowest)
             : Reading<double>::none("no GPU was busy while its link was looked at");
}

}  // namespace

RuleOutcome no_peer_copies(const RuleInput& input) {
  const Reading<GpuPair> pair = pair_of(input.trace);
  if (!pair) {
    return {.skipped = pair.why_not()};
  }
  const Reading<double>& peer_copies = (*pair).peer_copies;
  if (!peer_copies) {
    return {.skipped = peer_copies.why_not()};
  }
  if (*peer_copies != 0) {
    return {.passed = "GPUs copy to each other without the host"};
  }
  const RunMeasures& m = input.measures;
  return {.finding =
              Finding{.id = "MG001",
                      .title = "the GPUs cannot copy to each other: batches go through host memory",
                      .severity = severity_of_pair(input.trace),
                      .evidence = {{.metric = "transfer_share",
                                    .value = m.share(m.ledger.transfer),
                                    .unit = "1"}},
                      .gain = no_gain(m),
                      .fixes = {system_fix("use one GPU (neither --data-gpu nor --model-gpu) where "
                                           "`qanat validate` finds that faster")},
                      .verify = "qanat validate compares one GPU with two",
                      .may_be_wrong = "the way over the host is hidden behind work"}};
}

RuleOutcome slow_peer_copies(const RuleInput& input) {
  const Reading<GpuPair> pair = pair_of(input.trace);
  if (!pair) {
    return {.skipped = pair.why_not()};
  }
  if ((*pair).peer_copies && *(*pair).peer_copies == 0) {
    return {.skipped = "the GPUs have no link of their own (MG001)"};
  }
  const Reading<double> rate = copy_rate(input.trace);
  if (!rate) {
    return {.skipped = rate.why_not()};
  }
  const Reading<double> link = link_rate(*input.trace.gpus);
  if (!link) {
    return {.skipped = link.why_not()};
  }
  const double reached = *rate / *link;
  if (reached >= kFairShareOfLink) {
    return {.passed =
                fmt::format("batches go to the model's GPU at {:.1f} GB/s, {:.0f} % of the link",
                            *rate / kGiga,
                            100 * reached)};
  }
  const RunMeasures& m = input.measures;
  // Copies that are hidden behind work cost nothing; only what the step waits for can be won.
  const Gain gain = gain_of_share(
      m, {.share = (1 - reached) * m.share(m.ledger.transfer), .low = 0, .high = 1.2}, "ledger");
  return {.finding = Finding{
              .id = "MG002",
              .title = fmt::format("batches go to the model's GPU at {:.1f} GB/s, its link could "
                                   "carry {:.1f}",
                                   *rate / kGiga,
                                   *link / kGiga),
              .severity = severity_of(gain),
              .evidence = {{.metric = "copy_rate", .value = *rate, .unit = "B/s"},
                           {.metric = "link_rate", .value = *link, .unit = "B/s"},
                           {.metric = "transfer_share",
                            .value = m.share(m.ledger.transfer),
                            .unit = "1"}},
              .gain = gain,
              .fixes = {system_fix("look for a link in a lower generation (HW005), a switch that "
                                   "others share, or virtualisation (IOMMU)")},
              .verify = "qanat validate measures copies in GB/s",
              .may_be_wrong = "other copies ran over the link meanwhile"}};
}

RuleOutcome distant_pair(const RuleInput& input) {
  const Reading<GpuPair> known = pair_of(input.trace);
  if (!known) {
    return {.skipped = known.why_not()};
  }
  const GpuPair& pair = *known;
  const std::vector<GpuFacts>& gpus = (*input.trace.gpus->setup).gpus;
  const Reading<double>& first = gpus[static_cast<std::size_t>(pair.first)].numa_node;
  const Reading<double>& second = gpus[static_cast<std::size_t>(pair.second)].numa_node;
  if (!pair.distance && (!first || !second)) {
    return {.skipped = pair.distance.why_not()};
  }
  const bool apart = pair.distance.value().value_or(0) >= kSystemDistance ||
                     (first && second && *first != *second);
  if (!apart) {
    return {.passed = "the GPUs hang on one socket"};
  }
  return {.finding = Finding{
              .id = "MG008",
              .title = "the two GPUs hang on different sockets: copies cross the link between them",
              .severity = severity_of_pair(input.trace),
              .evidence = {{.metric = "distance",
                            .value = pair.distance.value().value_or(0),
                            .unit = "level"}},
              .gain = no_gain(input.measures),
              .fixes = {system_fix("choose two cards of one socket: nvidia-smi topo -m")},
              .verify = "qanat validate measures the copies in GB/s",
              .may_be_wrong = "copies are hidden behind work"}};
}

}  // namespace qanat
