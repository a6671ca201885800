// Rules about a pair of GPUs and the link between them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "diagnose/rule_parts.h"
#include "locale/messages/findings_hardware.h"

namespace qanat {
namespace {

constexpr double kSystemDistance = 50;    // NVML's word for "over the link between sockets"
constexpr double kFairShareOfLink = 0.7;  // large copies reach more on a healthy link
constexpr double kMinCopy = 1 << 20;      // bytes; smaller copies are mostly their own beginning
constexpr std::size_t kMinCopies = 20;
// Bytes per second of one lane of the first generation of PCI Express; each later one doubles it.
constexpr double kFirstLane = 0.25e9;

bool runs_on_two_gpus(const RunSummary& summary) {
  return summary.run.mode == "multi_gpu";
}

FindingSeverity severity_of_pair(const RunSummary& summary) {
  return runs_on_two_gpus(summary) ? FindingSeverity::warn : FindingSeverity::info;
}

// The two GPUs, or why there is nothing to say of them.
const GpuPair* pair_of(const RunSummary& summary) {
  const std::vector<GpuPair>& pairs = (*summary.gpus->setup).pairs;
  return pairs.empty() ? nullptr : &pairs.front();
}

// Batches on their way from the data GPU to the model's, those large enough to say something.
struct TimedCopies {
  std::size_t count = 0;
  double bytes = 0;
  double seconds = 0;
};

TimedCopies timed_copies(const RunSummary& summary) {
  TimedCopies copies;
  for (const SlotRecord& slot : summary.slots) {
    const auto bytes = static_cast<double>(slot.bytes.value);
    if (bytes >= kMinCopy && length_of(slot.copy) > 0) {
      copies.bytes += bytes;
      copies.seconds += length_of(slot.copy);
      ++copies.count;
    }
  }
  return copies;
}

// What the narrowest link of the GPUs at work can carry one way.
std::optional<double> link_rate(const GpuSummary& gpus) {
  double narrowest = std::numeric_limits<double>::infinity();
  for (const GpuHistory& gpu : gpus.gpus) {
    if (gpu.busy > 0 && gpu.link_gen > 0 && gpu.link_width > 0) {
      narrowest = std::min(narrowest, kFirstLane * std::exp2(gpu.link_gen - 1) * gpu.link_width);
    }
  }
  return std::isfinite(narrowest) ? std::optional(narrowest) : std::nullopt;
}

RuleOutcome no_peer_copies(const RuleInput& input) {
  const GpuPair* const pair = pair_of(input.summary);
  if (pair == nullptr) {
    return skipped(msg::mg001_one_gpu{}, Missing::gpu);
  }
  if (!pair->peer_copies) {
    return skipped_for(pair->peer_copies);
  }
  if (*pair->peer_copies != 0) {
    return passed(msg::mg001_ok{});
  }
  const RunMeasures& m = input.measures;
  return Finding{.title = msg::mg001_title{},
                 .severity = severity_of_pair(input.summary),
                 .evidence = {{metric::transfer_share, m.share(m.breakdown.transfer)}},
                 .fixes = {do_this(msg::mg001_use_one{})},
                 .verify = msg::mg001_verify{},
                 .may_be_wrong = msg::mg001_wrong_if{}};
}

RuleOutcome slow_peer_copies(const RuleInput& input) {
  const GpuPair* const pair = pair_of(input.summary);
  if (pair == nullptr) {
    return skipped(msg::mg001_one_gpu{}, Missing::gpu);
  }
  if (pair->peer_copies && *pair->peer_copies == 0) {
    return skipped(msg::mg002_no_link{}, Missing::gpu);
  }
  if (!runs_on_two_gpus(input.summary)) {
    return skipped(msg::mg002_one_gpu{}, Missing::gpu);
  }
  const TimedCopies copies = timed_copies(input.summary);
  if (copies.count < kMinCopies) {
    return skipped(msg::mg002_too_few{.copies = copies.count, .needed = kMinCopies});
  }
  const std::optional<double> link = link_rate(*input.summary.gpus);
  if (!link) {
    return skipped(msg::hw005_idle{}, Missing::gpu);
  }
  const double rate = copies.bytes / copies.seconds;
  const double reached = rate / *link;
  if (reached >= kFairShareOfLink) {
    return passed(msg::mg002_ok{.rate = in_bytes_per_second(rate), .share = in_percent(reached)});
  }
  const RunMeasures& m = input.measures;
  // Copies that are hidden behind work cost nothing; only what the step waits for can be saved.
  const Gain gain =
      gain_of_share(m,
                    {.share = (1 - reached) * m.share(m.breakdown.transfer), .low = 0, .high = 1.2},
                    GainMethod::breakdown);
  return Finding{.title = msg::mg002_title{.rate = in_bytes_per_second(rate),
                                           .link = in_bytes_per_second(*link)},
                 .severity = severity_of(gain),
                 .evidence = {{metric::copy_rate, rate},
                              {metric::link_rate, *link},
                              {metric::transfer_share, m.share(m.breakdown.transfer)}},
                 .gain = gain,
                 .fixes = {do_this(msg::mg002_look{})},
                 .verify = msg::mg002_verify{},
                 .may_be_wrong = msg::mg002_wrong_if{}};
}

RuleOutcome distant_pair(const RuleInput& input) {
  const GpuPair* const pair = pair_of(input.summary);
  if (pair == nullptr) {
    return skipped(msg::mg001_one_gpu{}, Missing::gpu);
  }
  const std::vector<GpuFacts>& gpus = (*input.summary.gpus->setup).gpus;
  const Reading<double>& first = gpus[static_cast<std::size_t>(pair->first)].numa_node;
  const Reading<double>& second = gpus[static_cast<std::size_t>(pair->second)].numa_node;
  if (!pair->distance && (!first || !second)) {
    return skipped_for(pair->distance);
  }
  const double distance = pair->distance.value().value_or(0);
  if (distance < kSystemDistance && (!first || !second || *first == *second)) {
    return passed(msg::mg008_ok{});
  }
  return Finding{.title = msg::mg008_title{},
                 .severity = severity_of_pair(input.summary),
                 .evidence = {{metric::distance, distance}},
                 .fixes = {do_this(msg::mg008_choose{})},
                 .verify = msg::mg002_verify{},
                 .may_be_wrong = msg::mg008_wrong_if{}};
}

constexpr Rule pair_rule(std::string_view id,
                         RuleText text,
                         RuleOutcome (*judge)(const RuleInput&),
                         Need needs) {
  return {
      .id = id, .category = RuleCategory::hardware, .text = text, .judge = judge, .needs = needs};
}

}  // namespace

std::span<const Rule> pair_rules() {
  static constexpr std::array kRules = {
      pair_rule("MG001",
                text_of<msg::mg001_looks_for, msg::mg001_means, msg::mg001_remedy>(),
                no_peer_copies,
                Need::gpus),
      pair_rule("MG002",
                text_of<msg::mg002_looks_for, msg::mg002_means, msg::mg002_remedy>(),
                slow_peer_copies,
                Need::steps | Need::gpus),
      pair_rule("MG008",
                text_of<msg::mg008_looks_for, msg::mg008_means, msg::mg008_remedy>(),
                distant_pair,
                Need::gpus),
  };
  return kRules;
}

}  // namespace qanat
