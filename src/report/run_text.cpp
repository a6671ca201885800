#include "report/run_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string milliseconds(double seconds) {
  return fmt::format("{:.1f} ms", 1000 * seconds);
}

// "p99: 52.1 ms [50.2, 57.0]", or what is missing for a bound.
void write_quantile(Out out, const RunMeasures& m, double share, const char* name) {
  if (const auto interval = quantile_interval(m.seconds, share)) {
    fmt::format_to(out,
                   "  {:<10} {} [{:.1f}, {:.1f}]\n",
                   name,
                   milliseconds(quantile(m.seconds, share)),
                   1000 * interval->low,
                   1000 * interval->high);
  } else {
    fmt::format_to(out,
                   "  {:<10} needs {} steps, there are {}\n",
                   name,
                   values_needed_for(share),
                   m.seconds.size());
  }
}

void write_statistics(Out out, const RunMeasures& m) {
  fmt::format_to(out,
                 "\nTIMING STATISTICS  {} steps after {} of warm-up{}\n",
                 m.steady.size(),
                 m.warm_up.steps,
                 m.warm_up.settled ? "" : " (not settled yet: run longer)");
  fmt::format_to(out,
                 "  {:<10} {} [{:.1f}, {:.1f}], {:.0f} independent steps' worth\n",
                 "mean",
                 milliseconds(m.mean_step),
                 1000 * m.mean_interval.low,
                 1000 * m.mean_interval.high,
                 m.effective_steps);
  fmt::format_to(out, "  {:<10} {}\n", "std", milliseconds(standard_deviation(m.seconds)));
  fmt::format_to(out,
                 "  {:<10} {} to {}\n",
                 "range",
                 milliseconds(std::ranges::min(m.seconds)),
                 milliseconds(std::ranges::max(m.seconds)));
  write_quantile(out, m, 0.5, "p50");
  write_quantile(out, m, 0.95, "p95");
  write_quantile(out, m, 0.99, "p99");
  fmt::format_to(out,
                 "  {:<10} {:.1f} % of equal work ({:.1f} % as it is): {}\n",
                 "variation",
                 100 * m.spread.robust_cv,
                 100 * standard_deviation(m.seconds) / m.mean_step,
                 to_string(m.spread.label));
  fmt::format_to(out,
                 "  {:<10} {:.0f} frames/s, {:.1f} % padding\n",
                 "throughput",
                 m.frames_per_second,
                 100 * m.padding_share);
}

void write_ledger(Out out, const RunMeasures& m) {
  fmt::format_to(
      out, "\nBOTTLENECK ANALYSIS  where a step of {} goes\n", milliseconds(m.mean_step));
  visit_phases(m.ledger, [&](std::string_view name, Seconds part) {
    if (part > Seconds{0} || name == "wait" || name == "residual") {
      fmt::format_to(out,
                     "  {:<10} {:>10}  {:>5.1f} %\n",
                     name,
                     milliseconds(part.count()),
                     100 * m.share(part));
    }
  });
}

void write_finding(Out out, const Finding& finding, std::size_t rank) {
  fmt::format_to(out, "#{}  {} {}", rank, finding.id, finding.title);
  if (finding.gain.speedup > 1) {
    fmt::format_to(out,
                   "\n    gain      {:.2f}x [{:.2f}, {:.2f}]   {} -> {} per step ({})",
                   finding.gain.speedup,
                   finding.gain.ci95.low,
                   finding.gain.ci95.high,
                   milliseconds(finding.gain.step_now),
                   milliseconds(finding.gain.step_if_fixed),
                   finding.gain.method);
  }
  fmt::format_to(out, "\n    evidence ");
  for (const Evidence& evidence : finding.evidence) {
    const bool share = evidence.unit == "1";
    fmt::format_to(out,
                   " {} {:.4g}{}{}",
                   evidence.metric,
                   evidence.value,
                   share ? "" : " ",
                   share ? "" : evidence.unit);
    fmt::format_to(out, "{}", &evidence == &finding.evidence.back() ? "" : " ·");
  }
  for (const Fix& fix : finding.fixes) {
    fmt::format_to(out, "\n    fix       {}", fix.flag);
    if (fix.predicted_step) {
      fmt::format_to(out, "   predicted {} per step", milliseconds(*fix.predicted_step));
    }
  }
  if (!finding.verify.empty()) {
    fmt::format_to(out, "\n    verify    {}", finding.verify);
  }
  if (!finding.may_be_wrong.empty()) {
    fmt::format_to(out, "\n    may be wrong if  {}", finding.may_be_wrong);
  }
  fmt::format_to(out, "\n");
}

}  // namespace

std::string render_verdict(const Diagnosis& diagnosis) {
  std::string text = fmt::format("VERDICT  {}", to_string(diagnosis.verdict));
  if (diagnosis.recoverable_share > 0) {
    fmt::format_to(std::back_inserter(text),
                   "   {:.0f} % of the step time is recoverable",
                   100 * diagnosis.recoverable_share);
  }
  fmt::format_to(std::back_inserter(text), "   {}", diagnosis.why);
  return text;
}

std::string render_text(const Diagnosis& diagnosis) {
  std::string text = render_verdict(diagnosis) + "\n";
  const Out out = std::back_inserter(text);
  const RunMeasures& m = diagnosis.measures;
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    write_finding(out, diagnosis.findings[i], i + 1);
  }
  if (!m.seconds.empty()) {
    write_ledger(out, m);
    write_statistics(out, m);
  }
  fmt::format_to(out,
                 "\nDIAGNOSTIC SUMMARY  {} found, {} fine, {} not checked\n",
                 diagnosis.findings.size(),
                 diagnosis.passed.size(),
                 diagnosis.skipped.size());
  for (const PassedCheck& check : diagnosis.passed) {
    fmt::format_to(out, "  ok       {:<7} {}\n", check.id, check.what);
  }
  for (const SkippedCheck& check : diagnosis.skipped) {
    fmt::format_to(out, "  skipped  {:<7} {}\n", check.id, check.reason);
  }
  return text;
}

std::string render_text(const RunComparison& comparison) {
  const char* const word = comparison.change == Change::slower   ? "SLOWER"
                           : comparison.change == Change::faster ? "FASTER"
                                                                 : "NO CHANGE";
  return fmt::format("BASELINE  {}   {:.3f}x its frames per second [{:.3f}, {:.3f}]\n",
                     word,
                     comparison.ratio,
                     comparison.ci95.low,
                     comparison.ci95.high);
}

}  // namespace qanat
