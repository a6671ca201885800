#include <iterator>

#include <fmt/format.h>

#include "report/profile_table.h"
#include "report/profile_text.h"
#include "report/run_text.h"
#include "report/text_lines.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string or_dash(const std::optional<double>& seconds) {
  return seconds ? milliseconds(*seconds) : "-";
}

void write_stage(Out out,
                 const char* name,
                 const std::optional<double>& dual,
                 const std::optional<double>& single) {
  fmt::format_to(out, "  {:<10} {:>12} {:>12}\n", name, or_dash(dual), or_dash(single));
}

void write_times(Out out, const DualProfile& profile) {
  const StageMeans& dual = profile.dual.stages;
  const StageMeans& single = profile.single.stages;
  fmt::format_to(out,
                 "\nTIMING STATISTICS  mean of a batch; {} steps on two devices, {} on one\n"
                 "  {:<10} {:>12} {:>12}\n",
                 profile.dual.measures.steady.size(),
                 profile.single.measures.steady.size(),
                 "",
                 "two devices",
                 "one device");
  write_stage(out, "load", dual.load, single.load);
  write_stage(out, "stage", dual.stage, single.stage);
  write_stage(out, "prepare", dual.prepare, single.prepare);
  write_stage(out, "transfer", dual.copy, single.copy);
  write_stage(out, "train", dual.train, single.train);
  write_stage(out, "gap", dual.gap, single.gap);
  write_stage(out, "step", profile.dual.measures.mean_step, profile.single.measures.mean_step);
}

std::string memory(const std::optional<DeviceUse>& use) {
  const auto megabytes = [](Bytes bytes) { return static_cast<double>(bytes.value) / (1 << 20); };
  if (!use) {
    return "memory not measured";
  }
  const std::string limit =
      use->memory_limit ? fmt::format(" of {:.0f}", megabytes(*use->memory_limit)) : "";
  return fmt::format("{:.0f}{} MB at most", megabytes(use->most_memory), limit);
}

void write_bottleneck(Out out, const DualProfile& profile) {
  const ModeProfile& dual = profile.dual;
  const double data = dual.data_busy.value_or(0);
  fmt::format_to(out, "\nBOTTLENECK ANALYSIS  two devices\n");
  fmt::format_to(out,
                 "  data GPU   busy {} ({}), {}\n",
                 percent(data),
                 to_string(data_gpu_band(data)),
                 memory(dual.data));
  fmt::format_to(out,
                 "  model GPU  busy {} ({}), {}\n",
                 percent(dual.model_busy),
                 to_string(model_gpu_band(dual.model_busy)),
                 memory(dual.model));
  const double variation = dual.measures.spread.robust_cv;
  fmt::format_to(out,
                 "  variation  {} for equal work ({})\n",
                 percent(variation),
                 to_string(variation_band(variation)));
  fmt::format_to(
      out, "  overlap    {:.2f}, the sum of both busy shares less one\n", profile.overlap);
  fmt::format_to(out,
                 "  ideal      {} = the longer of data {} and train {}; reached {} ({} wanted)\n",
                 milliseconds(profile.ideal),
                 milliseconds(profile.data_per_batch),
                 milliseconds(profile.train_per_batch),
                 percent(profile.efficiency),
                 percent(kWantedEfficiency));
}

// The run on two devices may be long enough when the one it is compared with is not.
std::string why_incomplete(const DualProfile& profile) {
  if (profile.diagnosis.verdict == VerdictKind::incomplete) {
    return profile.diagnosis.why;
  }
  if (profile.single.measures.steady.size() < kFewestSteps) {
    return fmt::format("{} steps after the warm-up; a verdict needs {}",
                       profile.single.measures.steady.size(),
                       kFewestSteps);
  }
  return profile.comparison.withheld;
}

}  // namespace

std::string render_text(const DualProfile& profile, const Words& words) {
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "VERDICT  {}", to_string(profile.verdict));
  if (profile.verdict == DualVerdict::incomplete) {
    fmt::format_to(out, "   {}\n", why_incomplete(profile));
  } else {
    fmt::format_to(out,
                   "   {:.2f}x the speech per second of one device [{:.2f}, {:.2f}], measured in "
                   "turns\n",
                   profile.comparison.ratio,
                   profile.comparison.ci95.low,
                   profile.comparison.ci95.high);
  }
  if (profile.emulated) {
    fmt::format_to(
        out,
        "         the GPUs are emulated on the processor (virtual GPUs): the figures are "
        "of this machine\n");
  }
  const std::string head =
      translated_lines(text, words) + render_findings(profile.diagnosis, words);
  text.clear();
  if (!profile.dual.measures.seconds.empty() && !profile.single.measures.seconds.empty()) {
    write_times(out, profile);
    write_bottleneck(out, profile);
  }
  const bool is_judged = profile.verdict != DualVerdict::incomplete;
  text += render_recommended(profile.recommended,
                             is_judged && profile.diagnosis.verdict == VerdictKind::incomplete
                                 ? "nothing worth changing was found"
                                 : nothing_recommended(profile.diagnosis));
  return head + translated_lines(text, words) + "\n" + render_checks(profile.diagnosis, words);
}

}  // namespace qanat
