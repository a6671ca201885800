#include "report/run_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/run_words.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

void write_statistics(Out out, const RunMeasures& m, const Words& w) {
  fmt::format_to(out,
                 "\n{}  {}\n",
                 w.say("TIMING STATISTICS"),
                 w.say(fmt::format("{} steps after {} of warm-up{}",
                                   m.steady.size(),
                                   m.warm_up.steps,
                                   m.warm_up.settled ? "" : " (not settled yet: run longer)")));
  for (const FactLine& fact : timing_facts(m, w)) {
    fmt::format_to(out, "  {:<10} {}\n", fact.name, fact.value);
  }
}

void write_ledger(Out out, const RunMeasures& m, const Words& w) {
  fmt::format_to(out,
                 "\n{}  {}\n",
                 w.say("BOTTLENECK ANALYSIS"),
                 w.say(fmt::format("where a step of {:.1f} ms goes", 1000 * m.mean_step)));
  visit_phases(m.ledger, [&](std::string_view name, Seconds part) {
    if (part > Seconds{0} || name == "wait" || name == "residual") {
      fmt::format_to(out,
                     "  {:<10} {:>10}  {:>7}\n",
                     w.say(name),
                     w.milliseconds(part),
                     w.percent(m.share(part)));
    }
  });
}

void write_line(Out out, const Words& w, const char* name, const std::string& text) {
  fmt::format_to(out, "\n    {:<9} {}", w.say(name), text);
}

void write_finding(Out out, const Finding& finding, std::size_t rank, const Words& w) {
  fmt::format_to(out,
                 "#{}  {} {}",
                 w.count(static_cast<std::int64_t>(rank)),
                 w.verbatim(finding.id),
                 w.say(finding.title));
  if (finding.gain.speedup > 1) {
    write_line(
        out, w, "gain", speedup_words(finding.gain, w) + "   " + gain_words(finding.gain, w));
  }
  if (!finding.explained_by.empty()) {
    fmt::format_to(out,
                   "\n    {}",
                   w.say(fmt::format("explained by {}: the same time is not won twice",
                                     finding.explained_by)));
  } else if (finding.marginal_speedup) {
    fmt::format_to(out,
                   "\n    {}",
                   w.say(fmt::format("worth {:.2f}x once the ones above are fixed",
                                     *finding.marginal_speedup)));
  }
  std::string evidence;
  for (const Evidence& item : finding.evidence) {
    evidence += (evidence.empty() ? "" : " · ") + evidence_words(item, w);
  }
  write_line(out, w, "evidence", evidence);
  for (const Fix& fix : finding.fixes) {
    std::string text = w.say(fix.flag);
    if (fix.predicted_step) {
      text +=
          "   " + w.say(fmt::format("predicted {:.1f} ms per step", 1000 * *fix.predicted_step));
    }
    write_line(out, w, "fix", text);
  }
  if (!finding.verify.empty()) {
    write_line(out, w, "verify", w.say(finding.verify));
  }
  if (!finding.may_be_wrong.empty()) {
    fmt::format_to(out, "\n    {}  {}", w.say("may be wrong if"), w.say(finding.may_be_wrong));
  }
  fmt::format_to(out, "\n");
}

// A line about steadiness; empty when there is nothing to compare.
std::string spread_words(const SpreadChange& spread, const Words& w) {
  if (spread.change == Steadier::unknown) {
    return "";
  }
  const char* const word = spread.change == Steadier::less_steady ? "LESS STEADY"
                           : spread.change == Steadier::steadier  ? "STEADIER"
                                                                  : "AS STEADY";
  return fmt::format("          {}\n",
                     w.say(fmt::format("{}   {:.2f}x its spread [{:.2f}, {:.2f}], p {:.3f}",
                                       word,
                                       spread.ratio,
                                       spread.ci95.low,
                                       spread.ci95.high,
                                       spread.p_value)));
}

}  // namespace

std::string render_verdict(const Diagnosis& diagnosis, const Words& w) {
  const std::string recoverable = recoverable_words(diagnosis, w);
  return fmt::format("{}  {}{}{}   {}",
                     w.say("VERDICT"),
                     w.say(to_string(diagnosis.verdict)),
                     recoverable.empty() ? "" : "   ",
                     recoverable,
                     w.say(diagnosis.why));
}

std::string render_text(const Diagnosis& diagnosis, const Words& w) {
  return render_run(diagnosis, w) + "\n" + render_checks(diagnosis, w);
}

std::string render_run(const Diagnosis& diagnosis, const Words& w) {
  std::string text = render_verdict(diagnosis, w) + "\n" + render_findings(diagnosis, w);
  const Out out = std::back_inserter(text);
  const RunMeasures& m = diagnosis.measures;
  if (!m.seconds.empty()) {
    write_ledger(out, m, w);
    write_statistics(out, m, w);
  }
  return text;
}

std::string render_findings(const Diagnosis& diagnosis, const Words& w) {
  std::string text;
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    write_finding(std::back_inserter(text), diagnosis.findings[i], i + 1, w);
  }
  return text;
}

std::string render_checks(const Diagnosis& diagnosis, const Words& w) {
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out,
                 "{}  {}\n",
                 w.say("DIAGNOSTIC SUMMARY"),
                 w.say(fmt::format("{} found, {} fine, {} not checked",
                                   diagnosis.findings.size(),
                                   diagnosis.passed.size(),
                                   diagnosis.skipped.size())));
  for (const PassedCheck& check : diagnosis.passed) {
    fmt::format_to(out, "  {:<8} {:<7} {}\n", w.say("ok"), w.verbatim(check.id), w.say(check.what));
  }
  return text + render_skipped(diagnosis, "  ", w);
}

std::string render_skipped(const Diagnosis& diagnosis, std::string_view indent, const Words& w) {
  std::string text;
  const Out out = std::back_inserter(text);
  for (const SkippedChecks& group : skipped_by_reason(diagnosis)) {
    std::string ids;
    for (const std::string& id : group.ids) {
      ids += ids.empty() ? "" : " ";
      ids += w.verbatim(id);
    }
    fmt::format_to(out, "{}{:<8} {:<7}", indent, w.say("skipped"), ids);
    text += group.ids.size() == 1 ? " " : fmt::format("\n{}{:9}", indent, "");
    text += w.say(group.reason) + "\n";
  }
  return text;
}

std::string render_text(const RunComparison& comparison, const Words& w) {
  return fmt::format("{}  {}\n{}",
                     w.say("BASELINE"),
                     comparison_words(comparison, w),
                     spread_words(comparison.spread, w));
}

std::string render_text(const std::vector<Difference>& differences, const Words& w) {
  std::string text;
  if (std::ranges::any_of(differences, &Difference::is_of_data)) {
    text += fmt::format("          {}\n",
                        w.say("the data sets differ: the ratio tells little about the program"));
  }
  for (const Difference& one : differences) {
    text += fmt::format("          {} {}\n",
                        w.verbatim(one.key),
                        w.say(fmt::format("is {}, was {}", one.now, one.before)));
  }
  return text;
}

}  // namespace qanat
