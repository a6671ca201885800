#include "report/dataset_html.h"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "report/dataset_words.h"
#include "report/html.h"
#include "web/resources.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

// Persian has no capitals.
std::string capitalised(std::string_view text) {
  std::string title(text);
  if (title.front() >= 'a' && title.front() <= 'z') {
    title.front() = static_cast<char>(title.front() - 'a' + 'A');
  }
  return title;
}

std::string said(const Words& words, std::string_view english) {
  return html_escaped(words.say(english));
}

// English pages take the direction of lines from what the data set says; on Persian ones names are
// isolated and the lines run as the page does.
std::string_view line_direction(const Words& words) {
  return words.right_to_left() ? "" : " dir=\"auto\"";
}

// missing_audio -> "Missing audio"
std::string title_of(ProblemKind kind, const Words& words) {
  if (kind == ProblemKind::invalid_utf8) {
    return said(words, "Invalid UTF-8");
  }
  std::string title = capitalised(to_string(kind));
  std::ranges::replace(title, '_', ' ');
  return said(words, title);
}

std::string_view dataset_mood(const DatasetReport& report) {
  if (report.unusable || count_of(report, Severity::error) > 0) {
    return "error";
  }
  return count_of(report, Severity::warning) > 0 ? "warning" : "good";
}

void add_facts(const DatasetReport& report, const Words& words, Out out) {
  fmt::format_to(out, "<dl>\n");
  for (const FactLine& fact : facts_of(report, {.words = words})) {
    fmt::format_to(out,
                   "<dt>{}</dt><dd{}>{}</dd>\n",
                   html_escaped(fact.name),
                   line_direction(words),
                   html_escaped(fact.value));
  }
  fmt::format_to(out, "</dl>\n");
}

void add_histogram_html(const DatasetReport& report, const Words& words, Out out) {
  if (report.histogram.empty()) {
    return;
  }
  fmt::format_to(out,
                 "<h2>{}</h2>\n<table class=\"histogram\">\n<caption>{}</caption>\n",
                 said(words, "Clips by length"),
                 said(words, "How many clips are how long"));
  const std::int64_t most = std::ranges::max(report.histogram, {}, &HistogramBin::count).count;
  for (const HistogramBin& bin : report.histogram) {
    fmt::format_to(out,
                   "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td>"
                   "<td><svg class=\"bar\" aria-hidden=\"true\"><rect width=\"{:.2f}%\" "
                   "height=\"100%\"/></svg>"
                   "</td></tr>\n",
                   bin_name(bin, words),
                   words.count(bin.count),
                   100.0 * static_cast<double>(bin.count) / static_cast<double>(most));
  }
  fmt::format_to(out, "</table>\n");
}

void add_rest_html(std::size_t left_out, const Words& words, Out out) {
  if (left_out > 0) {
    fmt::format_to(out,
                   "<p>{}</p>\n",
                   said(words,
                        fmt::format("and {} more; --all lists them",
                                    grouped(static_cast<std::int64_t>(left_out)))));
  }
}

void add_characters_html(const DatasetReport& report, const DatasetHtmlOptions& options, Out out) {
  if (report.unknown_characters.empty()) {
    return;
  }
  const Words& words = options.words;
  fmt::format_to(out,
                 "<h2>{}</h2>\n<div class=\"scroll\"><table>\n"
                 "<tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr>\n",
                 said(words, "Characters that are not read"),
                 said(words, "Character"),
                 said(words, "Where"));
  const std::size_t all = report.unknown_characters.size();
  const std::size_t shown = std::min(all, options.list_limit.value_or(all));
  for (const UnknownCharacter& one : std::span(report.unknown_characters).first(shown)) {
    fmt::format_to(out,
                   "<tr><td dir=\"auto\">{}</td><td{}>{}</td></tr>\n",
                   html_escaped(one.name),
                   line_direction(words),
                   html_escaped(occurrence_words(report, one, {.words = words})));
  }
  fmt::format_to(out, "</table></div>\n");
  add_rest_html(all - shown, words, out);
}

void add_speakers(const DatasetReport& report, const Words& words, Out out) {
  constexpr std::size_t kShown = 100;
  const std::size_t count = report.speakers.size();
  if (count < 2) {
    return;
  }
  fmt::format_to(
      out,
      "<h2>{}</h2>\n<div class=\"scroll\"><table>\n<caption>{}</caption>\n"
      "<tr><th scope=\"col\">{}</th><th scope=\"col\" class=\"number\">{}</th>"
      "<th scope=\"col\" class=\"number\">{}</th></tr>\n",
      said(words, "Speakers"),
      said(words,
           fmt::format("{} speakers, most speech first", grouped(std::ssize(report.speakers)))),
      said(words, "Speaker"),
      said(words, "Utterances"),
      said(words, "Speech"));
  for (const NamedTotal& speaker : std::span(report.speakers).first(std::min(kShown, count))) {
    fmt::format_to(out,
                   "<tr><td dir=\"auto\">{}</td><td class=\"number\">{}</td>"
                   "<td class=\"number\">{}</td></tr>\n",
                   speaker.name.empty() ? said(words, "not said") : html_escaped(speaker.name),
                   words.count(speaker.total.utterances),
                   duration_words(speaker.total.duration, words));
  }
  fmt::format_to(out, "</table></div>\n");
  if (count > kShown) {
    fmt::format_to(out, "<p>{}</p>\n", said(words, fmt::format("and {} more", count - kShown)));
  }
}

enum class TextColumn { shown, left_out };

void add_problem_html(const DatasetReport& report,
                      const DatasetProblem& problem,
                      TextColumn text,
                      const Words& words,
                      Out out) {
  const std::string& name = problem.audio.empty() ? problem.id : problem.audio;
  const std::string_view direction = line_direction(words);
  fmt::format_to(out,
                 "<tr><td>{}</td><td{}>{}</td><td{}>{}</td>",
                 html_escaped(words.verbatim(place_of(report, problem))),
                 direction,
                 html_escaped(words.verbatim(name)),
                 direction,
                 said(words, problem.detail));
  if (text == TextColumn::shown) {
    fmt::format_to(out, "<td dir=\"auto\">{}</td>", html_escaped(problem.text));
  }
  fmt::format_to(out, "</tr>\n");
}

void add_problem_table(const DatasetReport& report,
                       std::span<const DatasetProblem> problems,
                       const Words& words,
                       Out out) {
  const bool has_text = std::ranges::any_of(
      problems, [](const DatasetProblem& problem) { return !problem.text.empty(); });
  const TextColumn text = has_text ? TextColumn::shown : TextColumn::left_out;
  fmt::format_to(out,
                 "<table class=\"problems\">\n<tr><th scope=\"col\" class=\"place\">{}</th>"
                 "<th scope=\"col\" class=\"file\">{}</th><th scope=\"col\">{}</th>",
                 said(words, "Line"),
                 said(words, "File"),
                 said(words, "What"));
  if (has_text) {
    fmt::format_to(out, "<th scope=\"col\">{}</th>", said(words, "Text"));
  }
  fmt::format_to(out, "</tr>\n");
  for (const DatasetProblem& problem : problems) {
    add_problem_html(report, problem, text, words, out);
  }
  fmt::format_to(out, "</table>");
}

void add_kind_html(const DatasetReport& report,
                   ProblemKind kind,
                   const DatasetHtmlOptions& options,
                   Out out) {
  const std::span<const DatasetProblem> problems = problems_of(report, kind);
  const std::size_t shown = std::min(problems.size(), options.list_limit.value_or(problems.size()));
  const Words& words = options.words;
  const std::string title = title_of(kind, words);
  const Severity severity = severity_of(kind);
  fmt::format_to(out,
                 "<details{}><summary><strong class=\"{}\">{}</strong>{}</summary>\n<p>{}.</p>\n"
                 "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">",
                 severity == Severity::note ? "" : " open",
                 to_string(severity),
                 title,
                 words.count(std::ssize(problems)),
                 html_escaped(capitalised(words.say(explain(kind)))),
                 title);
  add_problem_table(report, problems.first(shown), words, out);
  fmt::format_to(out, "</div>\n");
  add_rest_html(problems.size() - shown, words, out);
  fmt::format_to(out, "</details>\n");
}

void add_severity_html(const DatasetReport& report,
                       Severity severity,
                       const DatasetHtmlOptions& options,
                       Out out) {
  if (count_of(report, severity) == 0) {
    return;
  }
  fmt::format_to(out, "<h2>{}</h2>\n", said(options.words, heading(severity)));
  for (std::size_t i = 0; i < kNumProblemKinds; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    if (severity_of(kind) == severity && report.counts[i] > 0) {
      add_kind_html(report, kind, options, out);
    }
  }
}

}  // namespace

std::string render_html(const DatasetReport& report, const DatasetHtmlOptions& options) {
  const Words& words = options.words;
  std::string html;
  const Out out = std::back_inserter(html);
  const std::string title = words.say("Data set " + report.root.string());
  fmt::format_to(out,
                 "<main>\n<h1>{}</h1>\n<p class=\"verdict {}\"{}>{}</p>\n",
                 words.right_to_left()
                     ? html_escaped(title)
                     : fmt::format("Data set <bdi>{}</bdi>", html_escaped(report.root.string())),
                 dataset_mood(report),
                 line_direction(words),
                 html_escaped(verdict(report, {.words = words})));
  add_facts(report, words, out);
  add_histogram_html(report, words, out);
  add_characters_html(report, options, out);
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    add_severity_html(report, severity, options, out);
  }
  add_speakers(report, words, out);
  fmt::format_to(out, "</main>\n<footer>{}</footer>\n", said(words, "Made by qanat data check."));
  return render_page({.language = words.language(),
                      .title = title,
                      .style = std::string(kPageCss),
                      .body = std::move(html)});
}

}  // namespace qanat
