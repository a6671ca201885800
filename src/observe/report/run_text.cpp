#include "report/run_text.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "locale/messages/charts.h"
#include "locale/messages/run_report.h"
#include "report/config_changes.h"
#include "report/document.h"
#include "report/known_names.h"
#include "report/run_words.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

Section statistics_section(const RunMeasures& m) {
  const bool is_settled = m.warm_up.settled;
  const std::size_t steps = m.steady.size();
  return {.title = msg::heading_timing{},
          .lead = is_settled
                      ? Message(msg::report_steps{.steps = steps, .warm_up = m.warm_up.steps})
                      : msg::report_steps_unsettled{.steps = steps, .warm_up = m.warm_up.steps},
          .facts = timing_facts(m)};
}

Section breakdown_section(const RunMeasures& m) {
  Table table{.columns = {{.name = msg::chart_part{}, .kind = CellKind::text},
                          {.name = msg::chart_time{}},
                          {.name = msg::chart_share{}}}};
  visit_phases(m.breakdown, [&](std::string_view name, Seconds part) {
    if (part > Seconds{0} || name == "wait" || name == "residual") {
      table.rows.push_back(
          {.cells = {in_words(name), in_seconds(part.count(), 1), in_percent(m.share(part), 1)}});
    }
  });
  return {.title = msg::heading_breakdown{},
          .lead = msg::report_where_step_goes{.step = in_seconds(m.mean_step, 1)},
          .tables = {std::move(table)}};
}

void write_line(Out out, const std::string& name, const std::string& text) {
  fmt::format_to(out, "\n    {:<9} {}", name, text);
}

void write_gain(Out out, const Finding& finding, const Translator& w) {
  if (finding.gain.speedup > 1) {
    write_line(out,
               w.tr(msg::label_gain{}),
               w.tr(speedup_message(finding.gain)) + "   " + w.tr(gain_message(finding.gain)));
  }
  if (!finding.explained_by.empty()) {
    fmt::format_to(out, "\n    {}", w.tr(msg::report_explained{.finding = finding.explained_by}));
  } else if (finding.marginal_speedup) {
    fmt::format_to(
        out, "\n    {}", w.tr(msg::report_marginal{.speedup = times(*finding.marginal_speedup)}));
  }
}

void write_evidence(Out out, const Finding& finding, const Translator& w) {
  std::string evidence;
  for (const Evidence& item : finding.evidence) {
    evidence += (evidence.empty() ? "" : " · ") + w.verbatim(item.metric.name) + ' ' +
                evidence_value(item, w);
  }
  write_line(out, w.tr(msg::label_evidence{}), evidence);
}

void write_finding(
    Out out, const Finding& finding, std::size_t rank, const Translator& w, Detail detail) {
  fmt::format_to(out,
                 "#{}  {} {}",
                 w.count(static_cast<std::int64_t>(rank)),
                 w.verbatim(finding.id),
                 w.tr(finding.title));
  write_gain(out, finding, w);
  if (detail == Detail::all) {
    write_evidence(out, finding, w);
  }
  for (const Fix& fix : finding.fixes) {
    std::string text = fix_words(fix, w);
    if (fix.predicted_step) {
      text += "   " + w.tr(predicted_message(*fix.predicted_step));
    }
    write_line(out, w.tr(msg::label_fix{}), text);
  }
  if (finding.verify) {
    write_line(out, w.tr(msg::label_check{}), w.tr(finding.verify));
  }
  if (detail == Detail::all && finding.may_be_wrong) {
    fmt::format_to(out, "\n    {}  {}", w.tr(msg::label_wrong_if{}), w.tr(finding.may_be_wrong));
  }
  fmt::format_to(out, "\n");
}

// A line about steadiness; empty when there is nothing to compare.
std::string spread_words(const SpreadChange& spread, const Translator& w) {
  if (spread.change == Steadier::unknown) {
    return "";
  }
  const Message change = spread.change == Steadier::less_steady ? Message(msg::spread_less_steady{})
                         : spread.change == Steadier::steadier  ? msg::spread_steadier{}
                                                                : Message(msg::spread_as_steady{});
  return fmt::format("          {}\n",
                     w.tr(msg::spread_ratio{.change = change,
                                            .ratio = times(spread.ratio),
                                            .low = plain(spread.ci95.low, 2),
                                            .high = plain(spread.ci95.high, 2),
                                            .p = plain(spread.p_value, 3)}));
}

}  // namespace

std::string render_verdict(const Diagnosis& diagnosis, const Translator& w) {
  const Message recoverable = recoverable_message(diagnosis);
  return fmt::format("{}  {}{}{}   {}",
                     w.tr(msg::heading_verdict{}),
                     w.tr(to_message(diagnosis.verdict)),
                     recoverable ? "   " : "",
                     w.tr(recoverable),
                     w.tr(diagnosis.why));
}

std::string render_text(const Diagnosis& diagnosis, const Translator& w, Detail detail) {
  if (detail == Detail::all) {
    return render_run(diagnosis, w) + "\n" + render_checks(diagnosis, w);
  }
  return fmt::format("{}\n{}  {}{} {}\n",
                     render_run(diagnosis, w, detail),
                     w.tr(msg::heading_checks{}),
                     checks_words(diagnosis, w),
                     w.language() == Language::fa ? "؛" : ";",
                     w.tr(msg::checks_more{}));
}

std::string render_run(const Diagnosis& diagnosis, const Translator& w, Detail detail) {
  const RunMeasures& m = diagnosis.measures;
  std::string text = render_verdict(diagnosis, w) + "\n";
  if (m.name) {
    text += fmt::format("{}  {}\n", w.tr(msg::heading_run{}), w.verbatim(*m.name));
  }
  if (m.task) {
    text += fmt::format("{}  {}\n", w.tr(msg::heading_task{}), w.said(in_words(*m.task)));
  }
  if (broke_off(m)) {
    text += fmt::format("{}  {}\n", w.tr(msg::heading_ended{}), w.said(in_words(*m.ending)));
  }
  text += render_findings(diagnosis, w, detail);
  if (!m.seconds.empty() && detail == Detail::all) {
    text += '\n' + render_text(breakdown_section(m), w);
    if (const std::optional<Section> ranks = ranks_section(m)) {
      text += '\n' + render_text(*ranks, w);
    }
    text += '\n' + render_text(statistics_section(m), w);
  }
  return text;
}

std::string render_findings(const Diagnosis& diagnosis, const Translator& w, Detail detail) {
  std::string text;
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    write_finding(std::back_inserter(text), diagnosis.findings[i], i + 1, w, detail);
  }
  return text;
}

std::string render_checks(const Diagnosis& diagnosis, const Translator& w) {
  return fmt::format("{}  {}\n{}",
                     w.tr(msg::heading_summary{}),
                     w.tr(counts_message(diagnosis)),
                     list_checks(diagnosis, "  ", w));
}

std::string list_checks(const Diagnosis& diagnosis, std::string_view indent, const Translator& w) {
  std::string text;
  const Out out = std::back_inserter(text);
  for (const PassedCheck& check : diagnosis.passed) {
    const std::string id = w.verbatim(check.id);
    fmt::format_to(out, "{}{:<8} {:<7} {}\n", indent, w.tr(msg::check_ok{}), id, w.tr(check.what));
  }
  for (const SkippedChecks& group : skipped_by_reason(diagnosis)) {
    std::string ids;
    for (const std::string& id : group.ids) {
      ids += ids.empty() ? "" : " ";
      ids += w.verbatim(id);
    }
    fmt::format_to(out, "{}{:<8} {:<7}", indent, w.tr(msg::check_skipped{}), ids);
    text += group.ids.size() == 1 ? " " : fmt::format("\n{}{:9}", indent, "");
    text += w.tr(group.reason) + "\n";
  }
  return text;
}

std::string render_text(const RunComparison& comparison, const Translator& w) {
  return fmt::format("{}  {}\n{}",
                     w.tr(msg::heading_baseline{}),
                     w.tr(comparison_message(comparison)),
                     spread_words(comparison.spread, w));
}

std::string render_text(const std::vector<Difference>& differences, const Translator& w) {
  std::string text;
  if (std::ranges::any_of(differences, &Difference::is_of_data)) {
    text += fmt::format("          {}\n", w.tr(msg::difference_data_sets{}));
  }
  for (const Difference& one : differences) {
    text += fmt::format(
        "          {}\n",
        w.tr(msg::difference_value{.key = one.key, .now = one.now, .before = one.before}));
  }
  return text;
}

}  // namespace qanat
