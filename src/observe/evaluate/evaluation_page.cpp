#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "evaluate/evaluation_document.h"
#include "locale/messages/evaluate.h"
#include "page/html.h"
#include "web/resources.h"

namespace qanat {
namespace {

std::string scores_html(const ClipResult& clip, const Translator& w) {
  std::string html;
  const auto add = [&](const std::string& name, const std::string& value) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(name), html_escaped(value));
  };
  add(w.tr(msg::evaluate_length{}), w.said(in_seconds(clip.duration.count(), 2)));
  for (std::size_t i = 0; i < kNumMeasures; ++i) {
    const auto measure = static_cast<Measure>(i);
    const std::optional<Weighted>& score = clip.scores.at(i);
    if (score && measure != Measure::length) {  // it stands above
      add(w.tr(facts_of(measure).name), w.said(shown_score(score->value, measure)));
    }
  }
  return "<dl>\n" + html + "</dl>\n";
}

std::string voice_html(Voice voice,
                       const ClipResult& clip,
                       const std::filesystem::path& page,
                       const Translator& w) {
  std::string html = fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n<audio controls preload=\"none\" "
      "src=\"{}\"></audio>\n{}",
      html_escaped(w.said(voice_name(voice))),
      html_escaped(url_from(page, clip.file)),
      scores_html(clip, w));
  if (clip.heard) {
    html += fmt::format("<p class=\"heard\">{} <span dir=\"auto\">{}</span></p>\n",
                        html_escaped(w.tr(msg::evaluate_heard{})),
                        html_escaped(*clip.heard));
  }
  return html + "</figure>\n";
}

std::string clip_html(const UtteranceResult& one,
                      const std::filesystem::path& page,
                      const Translator& w) {
  std::string html =
      fmt::format("<article class=\"clip\">\n<h3><bdi>{}</bdi></h3>\n", html_escaped(one.name));
  if (one.text) {
    html += fmt::format("<p dir=\"auto\">{}</p>\n", html_escaped(*one.text));
  }
  html += "<div class=\"voices\">\n";
  if (one.reference) {
    html += voice_html(Voice::reference, *one.reference, page, w);
  }
  html += voice_html(Voice::made, one.made, page, w);
  if (one.baseline) {
    html += voice_html(Voice::baseline, *one.baseline, page, w);
  }
  return html + "</div>\n</article>\n";
}

}  // namespace

std::string render_html(const Evaluation& evaluation,
                        const std::filesystem::path& page,
                        const Translator& words) {
  const Translator w = words.on_pages();
  Document document = to_document(evaluation);
  const std::string title = html_escaped(w.tr(*document.sections.front().title));
  document.sections.front().title.reset();
  std::string body = "<main>\n<h1>" + title + "</h1>\n";
  for (const Section& section : document.sections) {
    // Clips stand below, where they can be heard.
    const bool lists_clips = !section.tables.empty() && section.tables.front().key == "utterances";
    body += lists_clips ? std::string() : render_html(section, w);
  }
  if (!evaluation.utterances.empty()) {
    body += fmt::format("<h2>{}</h2>\n", html_escaped(w.tr(msg::evaluate_clips{})));
    if (evaluation.reference) {
      body += fmt::format("<p>{}</p>\n", html_escaped(w.tr(msg::evaluate_worst_first{})));
    }
  }
  for (const UtteranceResult* one : worst_first(evaluation)) {
    body += clip_html(*one, page, w);
  }
  body += "</main>\n<footer>" + prose_html(w.tr(msg::evaluate_footer{})) + "</footer>\n";
  return render_page({.language = w.language(),
                      .title = words.tr(title_of(evaluation)),
                      .style = std::string(kPageCss) + std::string(kEvaluateCss),
                      .body = std::move(body),
                      .shows_files = true});
}

}  // namespace qanat
