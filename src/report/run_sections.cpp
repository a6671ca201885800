#include "report/run_sections.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "report/html.h"
#include "report/persian.h"
#include "report/run_words.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string_view mood(const Diagnosis& diagnosis) {
  switch (diagnosis.verdict) {
    case VerdictKind::balanced:
      return "good";
    case VerdictKind::incomplete:
      return "note";
    default:
      return diagnosis.recoverable_share >= 0.1 ? "error" : "warning";
  }
}

std::string_view mood(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::crit:
      return "error";
    case FindingSeverity::warn:
      return "warning";
    default:
      return "note";
  }
}

// Text that a person copies as it is.
std::string code(std::string_view text) {
  return fmt::format("<code dir=\"ltr\">{}</code>", html_escaped(text));
}

// Pages need not make do with ASCII.
std::string with_arrows(std::string text) {
  for (std::size_t at = text.find("->"); at != std::string::npos; at = text.find("->", at)) {
    text.replace(at, 2, "\u2192");
  }
  return text;
}

void add_fact(Out out, std::string_view name, std::string_view html) {
  fmt::format_to(out, "<dt>{}</dt><dd>{}</dd>\n", html_escaped(name), html);
}

void add_fixes(Out out, const Finding& finding, const Words& w) {
  for (const Fix& fix : finding.fixes) {
    const bool is_prose = w.right_to_left() && has_persian(fix.flag);
    std::string html = fmt::format(
        "<span class=\"fix\">{} <button type=\"button\" class=\"copy\" "
        "data-copy=\"{}\">{}</button>",
        is_prose ? html_escaped(w.say(fix.flag)) : code(fix.flag),
        html_escaped(fix.flag),
        html_escaped(w.say("Copy")));
    if (fix.predicted_step) {
      html += fmt::format("<span class=\"quiet\">{}</span>",
                          html_escaped(w.say(fmt::format("predicted {:.1f} ms per step",
                                                         1000 * *fix.predicted_step))));
    }
    add_fact(out, w.say("fix"), html + "</span>");
  }
}

void add_card(Out out, const Finding& finding, std::size_t rank, const Words& w) {
  fmt::format_to(
      out,
      "<article class=\"card {}\" id=\"finding-{}\">\n<h3><span class=\"rank\">{}</span> "
      "<bdi class=\"id\">{}</bdi> {}</h3>\n",
      mood(finding.severity),
      html_escaped(finding.id),
      w.count(static_cast<std::int64_t>(rank)),
      html_escaped(finding.id),
      html_escaped(w.say(finding.title)));
  if (finding.gain.speedup > 1) {
    fmt::format_to(out,
                   "<p class=\"gain\"><strong>{}</strong> <span>{}</span></p>\n",
                   html_escaped(speedup_words(finding.gain, w)),
                   html_escaped(with_arrows(gain_words(finding.gain, w))));
  }
  fmt::format_to(out, "<dl>\n");
  std::string evidence = "<ul>";
  for (const Evidence& item : finding.evidence) {
    evidence += fmt::format(
        "<li>{} <bdi>{}</bdi></li>", code(item.metric), html_escaped(evidence_value(item, w)));
  }
  add_fact(out, w.say("evidence"), evidence + "</ul>");
  add_fixes(out, finding, w);
  if (!finding.verify.empty()) {
    add_fact(out, w.say("verify"), html_escaped(w.say(finding.verify)));
  }
  if (!finding.may_be_wrong.empty()) {
    add_fact(out, w.say("may be wrong if"), html_escaped(w.say(finding.may_be_wrong)));
  }
  fmt::format_to(out, "</dl>\n</article>\n");
}

void add_tile(Out out, std::string_view name, std::string_view value) {
  fmt::format_to(out,
                 "<div class=\"tile\"><dt>{}</dt><dd>{}</dd></div>\n",
                 html_escaped(name),
                 html_escaped(value));
}

// data.batch_size and so on, however deep.
void add_settings(const nlohmann::json& value, const std::string& key, Out out) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      add_settings(inner, key.empty() ? name : key + '.' + name, out);
    }
    return;
  }
  fmt::format_to(out,
                 "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                 code(key),
                 code(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

}  // namespace

std::string verdict_html(const RunView& run) {
  const Words& w = run.words;
  if (run.history.num_steps == 0) {
    return {};  // nothing was trained, so nothing can be judged
  }
  const std::string recoverable = recoverable_words(run.diagnosis, w);
  return fmt::format(
      "<p class=\"verdict {}\" role=\"status\"><span class=\"kind\">{}</span> "
      "<span class=\"why\">{}{}{}</span></p>\n",
      mood(run.diagnosis),
      html_escaped(w.say(to_string(run.diagnosis.verdict))),
      html_escaped(w.say(run.diagnosis.why)),
      recoverable.empty() ? "" : ". ",
      html_escaped(recoverable));
}

std::string summary_html(const RunView& run) {
  const Words& w = run.words;
  const RunHistory& history = run.history;
  const RunMeasures& m = run.diagnosis.measures;
  if (history.num_steps == 0) {
    return {};
  }
  std::string html = "<dl class=\"tiles\">\n";
  const Out out = std::back_inserter(html);
  add_tile(out, w.say("steps"), w.count(history.last_step + 1));
  if (history.newest) {
    add_tile(out, w.say("loss"), w.number(history.newest->losses.total, 4));
  }
  if (m.mean_step > 0) {
    add_tile(out, w.say("steps/s"), w.number(1 / m.mean_step, 2));
    add_tile(out, w.say("waits for data"), w.percent(m.share(m.ledger.wait + m.ledger.transfer)));
    add_tile(out, w.say("device busy"), w.percent(m.share(m.ledger.busy())));
    add_tile(out, w.say("padding"), w.percent(m.padding_share));
  }
  add_tile(out, w.say("time of the run"), w.clock(Seconds(std::round(history.last_time))));
  return html + "</dl>\n";
}

std::string now_html(const RunSnapshot& now, const RunView& run) {
  const Words& w = run.words;
  const RunMeasures& m = run.diagnosis.measures;
  std::string html = "<dl class=\"tiles\">\n";
  const Out out = std::back_inserter(html);
  add_tile(out,
           w.say("run"),
           now.ending ? w.say(fmt::format("ended: {}", *now.ending)) : w.say("running"));
  if (now.newest) {
    const std::string step = w.count(now.newest->step + 1);
    add_tile(out, w.say("step"), now.last_step ? step + " / " + w.count(*now.last_step) : step);
    add_tile(out, w.say("epoch"), w.count(now.newest->epoch));
    add_tile(out, w.say("loss"), w.number(now.newest->losses.total, 4));
  }
  if (const auto pace = now.steps_per_second()) {
    add_tile(out, w.say("steps/s"), w.number(*pace, 2));
    if (now.last_step && now.newest && !now.ending) {
      const auto left = static_cast<double>(*now.last_step - now.newest->step - 1);
      add_tile(out, w.say("ETA"), w.clock(Seconds(std::round(left / *pace))));
    }
  }
  if (const auto wait = now.wait_share()) {
    add_tile(out, w.say("waits for data"), w.percent(*wait));
  }
  if (m.mean_step > 0) {
    add_tile(out, w.say("device busy"), w.percent(m.share(m.ledger.busy())));
    add_tile(out, w.say("padding"), w.percent(m.padding_share));
  }
  add_tile(out, w.say("time of the run"), w.clock(Seconds(std::round(now.at.count()))));
  return render_section({.id = "now", .title = w.say("Now"), .html = html + "</dl>\n"});
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
  const Words& w = run.words;
  std::string rows;
  const Out out = std::back_inserter(rows);
  for (const FactLine& fact : timing_facts(run.diagnosis.measures, w)) {
    add_fact(out, fact.name, html_escaped(fact.value));
  }
  return rows.empty() ? rows : "<dl class=\"facts\">\n" + rows + "</dl>\n";
}

std::string checks_html(const RunView& run) {
  const Words& w = run.words;
  std::string html = fmt::format(
      "<details><summary>{}</summary>\n<div class=\"scroll\"><table>\n"
      "<tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr>\n",
      html_escaped(w.say(fmt::format("{} found, {} fine, {} not checked",
                                     run.diagnosis.findings.size(),
                                     run.diagnosis.passed.size(),
                                     run.diagnosis.skipped.size()))),
      html_escaped(w.say("check")),
      html_escaped(w.say("outcome")),
      html_escaped(w.say("what was seen")));
  const Out out = std::back_inserter(html);
  const auto add_row =
      [&](const std::vector<std::string>& ids, std::string_view outcome, const std::string& what) {
        std::string names;
        for (const std::string& id : ids) {
          names += names.empty() ? "" : " ";
          names += code(id);
        }
        fmt::format_to(out,
                       "<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td></tr>\n",
                       names,
                       outcome == "ok" ? "good" : "note",
                       html_escaped(w.say(outcome)),
                       html_escaped(w.say(what)));
      };
  for (const PassedCheck& check : run.diagnosis.passed) {
    add_row({check.id}, "ok", check.what);
  }
  for (const SkippedChecks& group : skipped_by_reason(run.diagnosis)) {
    add_row(group.ids, "skipped", group.reason);
  }
  return html + "</table></div></details>\n";
}

std::string events_html(const RunView& run) {
  const Words& w = run.words;
  if (run.history.events.empty()) {
    return {};
  }
  std::string html = fmt::format(
      "<details><summary>{}</summary>\n<div class=\"scroll\"><table>\n<tr><th scope=\"col\">{}</th>"
      "<th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr>\n",
      html_escaped(w.say(fmt::format(
          "{} event{}", run.history.events.size(), run.history.events.size() == 1 ? "" : "s"))),
      html_escaped(w.say("time of the run")),
      html_escaped(w.say("event")),
      html_escaped(w.say("what happened")));
  for (const RunEvent& event : run.history.events) {
    html += fmt::format("<tr><td>{}</td><td>{}</td><td dir=\"auto\">{}</td></tr>\n",
                        html_escaped(w.clock(Seconds(event.time))),
                        code(event.kind),
                        html_escaped(event.what));
  }
  return html + "</table></div></details>\n";
}

std::string configuration_html(const RunView& run) {
  const auto config = run.history.header.find("config");
  if (config == run.history.header.end() || !config->is_object()) {
    return {};
  }
  const Words& w = run.words;
  std::string html = fmt::format(
      "<details><summary>{}</summary>\n<div class=\"scroll\"><table class=\"settings\">\n"
      "<tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr>\n",
      html_escaped(w.say("Every setting of the run")),
      html_escaped(w.say("setting")),
      html_escaped(w.say("value")));
  add_settings(*config, "", std::back_inserter(html));
  return html + "</table></div></details>\n";
}

}  // namespace qanat
