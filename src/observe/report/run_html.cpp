#include "report/run_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "locale/messages/findings_hardware.h"
#include "locale/messages/run_report.h"
#include "page/html.h"
#include "report/run_json.h"
#include "report/run_sections.h"
#include "web/resources.h"

namespace qanat {
namespace {

using OptionalFigure = std::optional<Figure>;

std::string join(const Translator& w, std::initializer_list<OptionalFigure> figures) {
  std::string html;
  for (const OptionalFigure& figure : figures) {
    html += figure ? render_figure(*figure, w) : std::string();
  }
  return html;
}

std::string strips(const Translator& w, const std::vector<Figure>& figures) {
  std::string html;
  for (const Figure& figure : figures) {
    html += render_figure(figure, w);
  }
  return html.empty() ? html : "<div class=\"strips\">\n" + html + "</div>\n";
}

std::string learning_html(const RunView& run) {
  const Translator& w = run.words;
  std::vector<Figure> parts = loss_part_figures(run);
  for (OptionalFigure figure : {learning_rate_figure(run), gradient_figure(run)}) {
    if (figure) {
      parts.push_back(*std::move(figure));
    }
  }
  return join(w, {loss_figure(run), score_figure(run)}) + strips(w, parts);
}

std::string devices_html(const RunView& run) {
  std::string html = join(run.words, {model_device_figure(run)});
  for (const DeviceFigures& device : device_figures(run)) {
    html += fmt::format("<h3><bdi>{}</bdi></h3>\n", html_escaped(device.name)) +
            strips(run.words, device.strips);
  }
  return html;
}

// JSON inside an element: nothing in it may end the element.
std::string embedded_json(const nlohmann::ordered_json& json) {
  std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  return "<script type=\"application/json\" id=\"report-json\">" + text + "</script>\n";
}

std::string header_html(const RunView& run) {
  const Translator& w = run.words;
  return fmt::format(
      "<header>\n<div><h1><bdi>{}</bdi></h1>\n<p class=\"subtitle\">{}</p></div>\n"
      "<button type=\"button\" id=\"theme\" data-light=\"{}\" "
      "data-dark=\"{}\">{}</button>\n</header>\n",
      html_escaped(run_title(run.history, w)),
      html_escaped(run_subtitle(run.history, w)),
      html_escaped(w.tr(msg::page_light{})),
      html_escaped(w.tr(msg::page_dark{})),
      html_escaped(w.tr(msg::page_dark{})));
}

}  // namespace

namespace {

std::string kind_of_run(const RunHistory& history, const Translator& w) {
  const std::string device = history.header.device.value_or("");
  const bool trained = history.num_steps > 0;
  if (device.empty()) {
    return w.tr(trained ? Message(msg::page_training_run{}) : msg::page_measurement{});
  }
  return w.tr(trained ? Message(msg::page_training_run_on{.device = device})
                      : msg::page_measurement_on{.device = device});
}

std::string start_of_run(const RunHistory& history, const Translator& w) {
  const std::string started = history.header.started.value_or("");  // 2024-05-01T10:00:00Z
  if (started.size() != 20) {
    return w.verbatim(started);
  }
  const std::string moment = started.substr(0, 10) + ' ' + started.substr(11, 5);
  return w.tr(msg::page_started{.moment = w.digits(moment) + " UTC"});
}

}  // namespace

std::string run_title(const RunHistory& history, const Translator& w) {
  return history.header.name ? *history.header.name : kind_of_run(history, w);
}

std::string run_subtitle(const RunHistory& history, const Translator& w) {
  std::string started = start_of_run(history, w);
  if (history.sessions_after > 0) {
    started += std::string(started.empty() ? "" : w.comma()) +
               w.tr(msg::page_session{.session = history.sessions,
                                      .sessions = history.sessions + history.sessions_after});
  }
  if (!history.header.name) {
    return started;
  }
  return fmt::format(
      "{}{}{}", kind_of_run(history, w), started.empty() ? std::string_view() : w.comma(), started);
}

std::string navigation_html(const std::vector<PageSection>& sections) {
  std::string html;
  for (const PageSection& section : sections) {
    if (!section.title.empty()) {
      html += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, html_escaped(section.title));
    }
  }
  return html;
}

std::vector<PageSection> run_sections(const RunView& run) {
  const Translator& w = run.words;
  std::vector<PageSection> sections{
      {"verdict", "", verdict_html(run)},
      {"summary", "", summary_html(run)},
      {"learning", w.tr(msg::page_learning{}), learning_html(run)},
      {"renders", w.tr(msg::page_renders{}), renders_html(run)},
      {"findings", w.tr(msg::page_findings{}), findings_html(run)},
      {"steps",
       w.tr(msg::page_steps{}),
       join(w,
            {breakdown_figure(run),
             breakdown_series_figure(run),
             step_time_figure(run),
             fold_figure(run)})},
      {"statistics", w.tr(msg::page_timing{}), statistics_html(run)},
      {"ranks", w.tr(msg::page_ranks{}), ranks_html(run)},
      {"pipeline",
       w.tr(msg::page_pipeline{}),
       join(w, {queue_figure(run), occupancy_figure(run), workers_figure(run), slots_figure(run)})},
      {"devices", w.tr(msg::page_devices{}), devices_html(run)},
      {"sweep", w.tr(msg::page_sweep{}), join(w, {sweep_figure(run)})},
      {"lengths", w.tr(msg::page_lengths{}), join(w, {length_figure(run)})},
      {"checks", w.tr(msg::page_checks{}), run.history.num_steps > 0 ? checks_html(run) : ""},
      {"events", w.tr(msg::page_events{}), events_html(run)},
      {"configuration", w.tr(msg::page_configuration{}), configuration_html(run)}};
  std::erase_if(sections, [](const PageSection& section) { return section.html.empty(); });
  return sections;
}

std::string render_html(const RunView& run) {
  const std::vector<PageSection> sections = run_sections(run);
  std::string body =
      header_html(run) + fmt::format("<nav aria-label=\"{}\">\n{}</nav>\n<main>\n",
                                     html_escaped(run.words.tr(msg::page_sections{})),
                                     navigation_html(sections));
  for (const PageSection& section : sections) {
    body += render_section(section);
  }
  body += "</main>\n" + embedded_json(to_json(run.diagnosis));
  const bool shows_files = std::ranges::any_of(
      sections, [](const PageSection& section) { return section.id == "renders"; });
  body += fmt::format("<footer>{}</footer>\n",
                      prose_html(run.words.tr(shows_files ? Message(msg::page_footer_with_files{})
                                                          : msg::page_footer{})));
  return render_page({.language = run.words.language(),
                      .title = run_title(run.history, run.words),
                      .style = std::string(kPageCss) + std::string(kReportCss),
                      .body = std::move(body),
                      .script = std::string(kReportJs),
                      .shows_files = shows_files});
}

}  // namespace qanat
