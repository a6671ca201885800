#include <iterator>

#include <fmt/format.h>

#include "report/profile_table.h"
#include "report/profile_text.h"
#include "report/run_text.h"
#include "report/text_lines.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

const char* band_of_wait(double share) {
  constexpr double kGood = 0.3;
  constexpr double kAcceptable = 0.5;
  return share < kGood ? "good" : share < kAcceptable ? "acceptable" : "poor";
}

const char* explain(ProbeOutcome outcome) {
  switch (outcome) {
    case ProbeOutcome::confirmed:
      return "the prediction holds";
    case ProbeOutcome::cheaper:
      return "steps cost less while nothing is loaded: loading takes time from the model";
    case ProbeOutcome::dearer:
      return "steps cost more than predicted: the machine was busier during the probe; run again";
  }
  return "";
}

void write_times(Out out, const StepProfile& profile) {
  const RunMeasures& m = profile.diagnosis.measures;
  fmt::format_to(out,
                 "\nTIMING STATISTICS  {} steps after {} of warm-up{}\n{}",
                 m.steady.size(),
                 m.warm_up.steps,
                 m.warm_up.settled ? "" : " (not settled yet: more --num-steps)",
                 times_head());
  for (const PhaseTimes& phase : profile.phases) {
    fmt::format_to(out, "{}", times_row(phase.name, phase.seconds));
  }
  fmt::format_to(out, "{}", missing_percentiles(profile.phases.back().seconds, "steps"));
}

void write_bottleneck(Out out, const StepProfile& profile) {
  const RunMeasures& m = profile.diagnosis.measures;
  fmt::format_to(
      out, "\nBOTTLENECK ANALYSIS  where a step of {} goes\n", milliseconds(m.mean_step));
  for (const PhaseTimes& phase : profile.phases) {
    if (phase.name != "step") {
      fmt::format_to(out, "  {:<10} {:>7}\n", phase.name, percent(phase.share));
    }
  }
  const double wait = m.share(m.ledger.wait);
  fmt::format_to(out,
                 "  data wait below 30 % is called good, and is {} here; what counts is the gain\n",
                 band_of_wait(wait));
  fmt::format_to(out,
                 "  {:.0f} frames of speech a second, {} padding\n",
                 m.frames_per_second,
                 percent(m.padding_share));
}

void write_probe(Out out, const StepProfile& profile) {
  if (!profile.probe) {
    fmt::format_to(out, "\nCACHED-BATCH PROBE  not run, or too few steps\n");
    return;
  }
  const CachedProbe& probe = *profile.probe;
  fmt::format_to(out,
                 "\nCACHED-BATCH PROBE  {} steps on batches that were on the device already\n"
                 "  predicted with free data  {} [{:.1f}, {:.1f}]\n"
                 "  measured with free data   {} [{:.1f}, {:.1f}]\n"
                 "  {}: {:+.1f} %, {}\n",
                 probe.steps,
                 milliseconds(probe.predicted),
                 1000 * probe.predicted_ci95.low,
                 1000 * probe.predicted_ci95.high,
                 milliseconds(probe.measured),
                 1000 * probe.measured_ci95.low,
                 1000 * probe.measured_ci95.high,
                 to_string(probe.outcome),
                 100 * probe.error(),
                 explain(probe.outcome));
}

}  // namespace

std::string render_text(const StepProfile& profile, const Words& words) {
  std::string text;
  const Out out = std::back_inserter(text);
  if (!profile.phases.empty()) {
    write_times(out, profile);
    write_bottleneck(out, profile);
  }
  write_probe(out, profile);
  text += render_recommended(profile.recommended, nothing_recommended(profile.diagnosis));
  return render_verdict(profile.diagnosis, words) + "\n" +
         render_findings(profile.diagnosis, words) + translated_lines(text, words) + "\n" +
         render_checks(profile.diagnosis, words);
}

}  // namespace qanat
