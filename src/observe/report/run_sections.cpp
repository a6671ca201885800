#include "report/run_sections.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "locale/messages/run_report.h"
#include "page/html.h"
#include "report/config_changes.h"
#include "report/document_words.h"
#include "report/known_names.h"
#include "report/run_words.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string_view mood(const Diagnosis& diagnosis) {
  if (diagnosis.verdict == VerdictKind::balanced) {
    return "good";
  }
  if (diagnosis.verdict == VerdictKind::incomplete) {
    return "note";
  }
  return diagnosis.recoverable_share >= 0.1 ? "error" : "warning";
}

std::string_view mood(FindingSeverity severity) {
  return severity == FindingSeverity::crit   ? "error"
         : severity == FindingSeverity::warn ? "warning"
                                             : "note";
}

void add_fact(Out out, std::string_view name, std::string_view html) {
  fmt::format_to(out, "<dt>{}</dt><dd>{}</dd>\n", html_escaped(name), html);
}

void add_fixes(Out out, const Finding& finding, const Translator& w) {
  for (const Fix& fix : finding.fixes) {
    // What is copied can be pasted: a flag alone, or the sentence.
    const std::string copied = fix.is_setting() ? flag_of(fix) : Translator().tr(fix.action);
    std::string html = fmt::format(
        "<span class=\"fix\">{} <button type=\"button\" class=\"copy\" "
        "data-copy=\"{}\">{}</button>",
        fix.is_setting() ? code_html(copied) : prose_html(w.tr(fix.action)),
        html_escaped(copied),
        html_escaped(w.tr(msg::page_copy{})));
    if (fix.precondition) {
      html += fmt::format("<span class=\"quiet\">{}</span>", prose_html(w.tr(fix.precondition)));
    }
    if (fix.predicted_step) {
      html += fmt::format("<span class=\"quiet\">{}</span>",
                          html_escaped(w.tr(predicted_message(*fix.predicted_step))));
    }
    add_fact(out, w.tr(msg::label_fix{}), html + "</span>");
  }
}

void add_card(Out out, const Finding& finding, std::size_t rank, const Translator& w) {
  fmt::format_to(
      out,
      "<article class=\"card {}\" id=\"finding-{}\">\n<h3><span class=\"rank\">{}</span> "
      "<bdi class=\"id\">{}</bdi> {}</h3>\n",
      mood(finding.severity),
      html_escaped(finding.id),
      w.count(static_cast<std::int64_t>(rank)),
      html_escaped(finding.id),
      prose_html(w.tr(finding.title)));
  if (finding.gain.speedup > 1) {
    fmt::format_to(out,
                   "<p class=\"gain\"><strong>{}</strong> <span>{}</span></p>\n",
                   html_escaped(w.tr(speedup_message(finding.gain))),
                   prose_html(w.tr(gain_message(finding.gain))));
  }
  fmt::format_to(out, "<dl>\n");
  std::string evidence = "<ul>";
  for (const Evidence& item : finding.evidence) {
    evidence += fmt::format("<li>{} <bdi>{}</bdi></li>",
                            code_html(item.metric.name),
                            html_escaped(evidence_value(item, w)));
  }
  add_fact(out, w.tr(msg::label_evidence{}), evidence + "</ul>");
  add_fixes(out, finding, w);
  if (finding.verify) {
    add_fact(out, w.tr(msg::label_check{}), prose_html(w.tr(finding.verify)));
  }
  if (finding.may_be_wrong) {
    add_fact(out, w.tr(msg::label_wrong_if{}), prose_html(w.tr(finding.may_be_wrong)));
  }
  fmt::format_to(out, "</dl>\n</article>\n");
}

using Tiles = std::vector<std::string>;

void add_tile(Tiles& tiles, std::string_view name, std::string_view value) {
  tiles.push_back(fmt::format("<div class=\"tile\"><dt>{}</dt><dd>{}</dd></div>\n",
                              html_escaped(name),
                              html_escaped(value)));
}

void add_task(Tiles& tiles, const RunMeasures& m, const Translator& w) {
  if (m.task) {
    add_tile(tiles, w.tr(msg::tile_task{}), w.said(in_words(*m.task)));
  }
}

// In rows that are as full as possible.
std::string tiles_html(const Tiles& tiles) {
  int columns = 4;
  for (const int more : {5, 6}) {
    const auto left_in_last = [&](int by) {
      return (by - static_cast<int>(tiles.size()) % by) % by;
    };
    columns = left_in_last(more) < left_in_last(columns) ? more : columns;
  }
  return fmt::format("<dl class=\"tiles by-{}\">\n{}</dl>\n", columns, fmt::join(tiles, ""));
}

// data.batch_size and so on, however deep.
void add_settings(const nlohmann::json& value, const std::string& key, std::vector<Row>& rows) {
  if (!value.is_object()) {
    rows.push_back(
        {.cells = {key, value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)}});
    return;
  }
  for (const auto& [name, inner] : value.items()) {
    add_settings(inner, key.empty() ? name : fmt::format("{}.{}", key, name), rows);
  }
}

// Behind its title until a reader opens it.
std::string folded_table(const Message& title, Table table, const Translator& w) {
  const Section section{.title = title, .tables = {std::move(table)}, .fold = Fold::closed};
  return render_html(section, w.on_pages());
}

}  // namespace

std::string verdict_html(const RunView& run) {
  const Translator& w = run.words;
  if (run.history.num_steps == 0) {
    return {};  // nothing was trained, so nothing can be judged
  }
  const Message recoverable = recoverable_message(run.diagnosis);
  return fmt::format(
      "<p class=\"verdict {}\" role=\"status\"><span class=\"kind\">{}</span> "
      "<span class=\"why\">{}{}{}</span></p>\n",
      mood(run.diagnosis),
      html_escaped(w.tr(to_message(run.diagnosis.verdict))),
      prose_html(w.tr(run.diagnosis.why)),
      recoverable ? ". " : "",
      html_escaped(w.tr(recoverable)));
}

std::string summary_html(const RunView& run) {
  const Translator& w = run.words;
  const RunHistory& history = run.history;
  const RunMeasures& m = run.diagnosis.measures;
  if (history.num_steps == 0) {
    return {};
  }
  Tiles tiles;
  add_task(tiles, m, w);
  if (broke_off(m)) {
    add_tile(tiles, w.tr(msg::tile_run{}), w.tr(msg::tile_ended{.why = in_words(*m.ending)}));
  }
  add_tile(tiles, w.tr(msg::tile_steps{}), w.count(history.last_step + 1));
  if (history.newest) {
    add_tile(tiles, w.tr(msg::tile_loss{}), w.number(history.newest->losses.total, 4));
  }
  if (m.mean_step > 0) {
    add_tile(tiles, w.tr(msg::tile_steps_per_second{}), w.number(1 / m.mean_step, 2));
    add_tile(tiles,
             w.tr(msg::tile_waits{}),
             w.percent(m.share(m.breakdown.wait + m.breakdown.transfer)));
    add_tile(tiles, w.tr(msg::tile_busy{}), w.percent(m.share(m.breakdown.busy())));
    add_tile(tiles, w.tr(msg::tile_padding{}), w.percent(m.padding_share));
  }
  add_tile(tiles, w.tr(msg::tile_run_time{}), w.clock(Seconds(std::round(history.last_time))));
  return tiles_html(tiles);
}

std::string now_html(const RunSnapshot& now, const RunView& run) {
  const Translator& w = run.words;
  const RunMeasures& m = run.diagnosis.measures;
  Tiles tiles;
  add_tile(
      tiles,
      w.tr(msg::tile_run{}),
      now.ending ? w.tr(msg::tile_ended{.why = in_words(*now.ending)}) : w.tr(msg::tile_running{}));
  add_task(tiles, m, w);
  if (now.newest) {
    const std::string step = w.count(now.newest->step + 1);
    add_tile(tiles,
             w.tr(msg::tile_step{}),
             now.last_step ? step + " / " + w.count(*now.last_step) : step);
    add_tile(tiles, w.tr(msg::tile_epoch{}), w.count(now.newest->epoch));
    add_tile(tiles, w.tr(msg::tile_loss{}), w.number(now.newest->losses.total, 4));
  }
  if (const auto pace = now.steps_per_second()) {
    add_tile(tiles, w.tr(msg::tile_steps_per_second{}), w.number(*pace, 2));
    if (now.last_step && now.newest && !now.ending) {
      const auto left = static_cast<double>(*now.last_step - now.newest->step - 1);
      add_tile(tiles, w.tr(msg::tile_eta{}), w.clock(Seconds(std::round(left / *pace))));
    }
  }
  if (const auto wait = now.wait_share()) {
    add_tile(tiles, w.tr(msg::tile_waits{}), w.percent(*wait));
  }
  if (m.mean_step > 0) {
    add_tile(tiles, w.tr(msg::tile_busy{}), w.percent(m.share(m.breakdown.busy())));
    add_tile(tiles, w.tr(msg::tile_padding{}), w.percent(m.padding_share));
  }
  add_tile(tiles, w.tr(msg::tile_run_time{}), w.clock(Seconds(std::round(now.at.count()))));
  return render_section({.id = "now", .title = w.tr(msg::page_now{}), .html = tiles_html(tiles)});
}

std::string findings_html(const RunView& run) {
  std::string html;
  const Out out = std::back_inserter(html);
  for (std::size_t i = 0; i < run.diagnosis.findings.size(); ++i) {
    add_card(out, run.diagnosis.findings[i], i + 1, run.words);
  }
  return html;
}

std::string statistics_html(const RunView& run) {
  return facts_html(timing_facts(run.diagnosis.measures), run.words);
}

std::string ranks_html(const RunView& run) {
  std::optional<Section> section = ranks_section(run.diagnosis.measures);
  if (!section) {
    return {};
  }
  section->title.reset();  // the page has one
  return render_html(*section, run.words.on_pages());
}

std::string checks_html(const RunView& run) {
  Table table{.columns = {{.name = msg::table_check{}, .kind = CellKind::code},
                          {.name = msg::table_outcome{}, .kind = CellKind::text},
                          {.name = msg::table_seen{}, .kind = CellKind::text}}};
  for (const PassedCheck& check : run.diagnosis.passed) {
    table.rows.push_back({.cells = {check.id, msg::check_ok{}, check.what}});
  }
  for (const SkippedChecks& group : skipped_by_reason(run.diagnosis)) {
    const std::string ids = fmt::format("{}", fmt::join(group.ids, " "));
    table.rows.push_back({.cells = {ids, msg::check_skipped{}, group.reason}});
  }
  return folded_table(counts_message(run.diagnosis), std::move(table), run.words);
}

std::string events_html(const RunView& run) {
  if (run.history.events.empty()) {
    return {};
  }
  Table table{.columns = {{.name = msg::tile_run_time{}, .kind = CellKind::text},
                          {.name = msg::table_event{}, .kind = CellKind::code},
                          {.name = msg::table_what_happened{}, .kind = CellKind::text}}};
  for (const RunEvent& event : run.history.events) {
    table.rows.push_back({.cells = {run.words.clock(Seconds(event.time)), event.kind, event.what}});
  }
  return folded_table(
      msg::page_num_events{.count = run.history.events.size()}, std::move(table), run.words);
}

std::string configuration_html(const RunView& run) {
  const std::optional<nlohmann::json>& config = run.history.header.config;
  if (!config || !config->is_object()) {
    return {};
  }
  Table table{.columns = {{.name = msg::table_setting{}, .kind = CellKind::code},
                          {.name = msg::table_value{}, .kind = CellKind::code}}};
  add_settings(*config, "", table.rows);
  return folded_table(msg::page_all_settings{}, std::move(table), run.words);
}

}  // namespace qanat
