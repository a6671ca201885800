#include "report/dataset_html.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "report/dataset_words.h"
#include "report/html.h"
#include "web/resources.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string capitalised(std::string_view text) {
  std::string title(text);
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

// missing_audio -> "Missing audio"
std::string title_of(ProblemKind kind) {
  if (kind == ProblemKind::invalid_utf8) {
    return "Invalid UTF-8";
  }
  std::string title = capitalised(to_string(kind));
  std::ranges::replace(title, '_', ' ');
  return title;
}

std::string_view mood(const DatasetReport& report) {
  if (report.unusable || count_of(report, Severity::error) > 0) {
    return "error";
  }
  return count_of(report, Severity::warning) > 0 ? "warning" : "good";
}

void add_facts(const DatasetReport& report, Out out) {
  fmt::format_to(out, "<dl>\n");
  for (const FactLine& fact : facts_of(report)) {
    fmt::format_to(out,
                   "<dt>{}</dt><dd dir=\"auto\">{}</dd>\n",
                   html_escaped(fact.name),
                   html_escaped(fact.value));
  }
  fmt::format_to(out, "</dl>\n");
}

void add_histogram(const DatasetReport& report, Out out) {
  if (report.histogram.empty()) {
    return;
  }
  fmt::format_to(out,
                 "<h2>Clips by length</h2>\n<table class=\"histogram\">\n"
                 "<caption>How many clips are how long</caption>\n");
  const std::int64_t most = std::ranges::max(report.histogram, {}, &HistogramBin::count).count;
  for (const HistogramBin& bin : report.histogram) {
    fmt::format_to(out,
                   "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td>"
                   "<td><svg class=\"bar\" aria-hidden=\"true\"><rect width=\"{:.2f}%\" "
                   "height=\"100%\"/></svg>"
                   "</td></tr>\n",
                   bin_name(bin),
                   grouped(bin.count),
                   100.0 * static_cast<double>(bin.count) / static_cast<double>(most));
  }
  fmt::format_to(out, "</table>\n");
}

void add_speakers(const DatasetReport& report, Out out) {
  constexpr std::size_t kShown = 100;
  if (report.speakers.size() < 2) {
    return;
  }
  fmt::format_to(out,
                 "<h2>Speakers</h2>\n<div class=\"scroll\"><table>\n"
                 "<caption>{} speakers, most speech first</caption>\n"
                 "<tr><th scope=\"col\">Speaker</th><th scope=\"col\" class=\"number\">Utterances"
                 "</th><th scope=\"col\" class=\"number\">Speech</th></tr>\n",
                 grouped(std::ssize(report.speakers)));
  for (const NamedTotal& speaker :
       std::span(report.speakers).first(std::min(kShown, report.speakers.size()))) {
    fmt::format_to(out,
                   "<tr><td dir=\"auto\">{}</td><td class=\"number\">{}</td>"
                   "<td class=\"number\">{}</td></tr>\n",
                   speaker.name.empty() ? "not said" : html_escaped(speaker.name),
                   grouped(speaker.total.utterances),
                   duration_words(speaker.total.duration));
  }
  fmt::format_to(out, "</table></div>\n");
  if (report.speakers.size() > kShown) {
    fmt::format_to(
        out, "<p>and {} more</p>\n", grouped(std::ssize(report.speakers) - std::int64_t{kShown}));
  }
}

enum class TextColumn { shown, left_out };

void add_problem(const DatasetReport& report,
                 const DatasetProblem& problem,
                 TextColumn text,
                 Out out) {
  const std::string& name = problem.audio.empty() ? problem.id : problem.audio;
  fmt::format_to(out,
                 "<tr><td>{}</td><td dir=\"auto\">{}</td><td dir=\"auto\">{}</td>",
                 html_escaped(place_of(report, problem)),
                 html_escaped(name),
                 html_escaped(problem.detail));
  if (text == TextColumn::shown) {
    fmt::format_to(out, "<td dir=\"auto\">{}</td>", html_escaped(problem.text));
  }
  fmt::format_to(out, "</tr>\n");
}

void add_table(const DatasetReport& report, std::span<const DatasetProblem> problems, Out out) {
  const bool has_text = std::ranges::any_of(
      problems, [](const DatasetProblem& problem) { return !problem.text.empty(); });
  const TextColumn text = has_text ? TextColumn::shown : TextColumn::left_out;
  fmt::format_to(out,
                 "<table class=\"problems\">\n<tr><th scope=\"col\" class=\"place\">Line</th>"
                 "<th scope=\"col\" class=\"file\">File</th><th scope=\"col\">What</th>{}</tr>\n",
                 has_text ? "<th scope=\"col\">Text</th>" : "");
  for (const DatasetProblem& problem : problems) {
    add_problem(report, problem, text, out);
  }
  fmt::format_to(out, "</table>");
}

void add_kind(const DatasetReport& report,
              ProblemKind kind,
              const DatasetHtmlOptions& options,
              Out out) {
  const std::span<const DatasetProblem> problems = problems_of(report, kind);
  const std::size_t shown = std::min(problems.size(), options.list_limit.value_or(problems.size()));
  const std::string title = title_of(kind);
  const Severity severity = severity_of(kind);
  fmt::format_to(out,
                 "<details{}><summary><strong class=\"{}\">{}</strong>{}</summary>\n<p>{}.</p>\n"
                 "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">",
                 severity == Severity::note ? "" : " open",
                 to_string(severity),
                 title,
                 grouped(std::ssize(problems)),
                 html_escaped(capitalised(explain(kind))),
                 title);
  add_table(report, problems.first(shown), out);
  fmt::format_to(out, "</div>\n");
  if (shown < problems.size()) {
    fmt::format_to(out,
                   "<p>and {} more; --all lists them</p>\n",
                   grouped(std::ssize(problems.subspan(shown))));
  }
  fmt::format_to(out, "</details>\n");
}

void add_severity(const DatasetReport& report,
                  Severity severity,
                  const DatasetHtmlOptions& options,
                  Out out) {
  if (count_of(report, severity) == 0) {
    return;
  }
  fmt::format_to(out, "<h2>{}</h2>\n", heading(severity));
  for (std::size_t i = 0; i < kNumProblemKinds; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    if (severity_of(kind) == severity && report.counts[i] > 0) {
      add_kind(report, kind, options, out);
    }
  }
}

}  // namespace

std::string render_html(const DatasetReport& report, const DatasetHtmlOptions& options) {
  std::string html;
  const Out out = std::back_inserter(html);
  const std::string root = report.root.string();
  fmt::format_to(out,
                 "<main>\n<h1>Data set <bdi>{}</bdi></h1>\n"
                 "<p class=\"verdict {}\" dir=\"auto\">{}</p>\n",
                 html_escaped(root),
                 mood(report),
                 html_escaped(verdict(report)));
  add_facts(report, out);
  add_histogram(report, out);
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    add_severity(report, severity, options, out);
  }
  add_speakers(report, out);
  fmt::format_to(out, "</main>\n<footer>Made by qanat data check.</footer>\n");
  return render_page(
      {.title = "Data set " + root, .style = std::string(kPageCss), .body = std::move(html)});
}

}  // namespace qanat
