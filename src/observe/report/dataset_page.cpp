// The page of a check: the document, with clips that can be heard.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "locale/messages/data_set_report.h"
#include "page/html.h"
#include "report/dataset_document.h"
#include "web/resources.h"

namespace qanat {
namespace {

constexpr std::size_t kPlayersOfAProblem = 20;  // browsers are slow with thousands

std::string audio_url(const DatasetReport& report,
                      const DatasetPage& page,
                      const std::string& audio) {
  return url_from(page.file, report.root / audio);
}

// From names of files to where the page finds them.
void link_audio(const DatasetReport& report, const DatasetPage& page, Table& table) {
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].kind != CellKind::audio) {
      continue;
    }
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      Value& cell = table.rows[row].cells.at(column);
      if (row >= kPlayersOfAProblem || !cell.shown) {
        cell = Value();
        continue;
      }
      cell = audio_url(report, page, Translator().said(*cell.shown));
    }
  }
}

Message kind_title(ClipKind kind) {
  switch (kind) {
    case ClipKind::typical:
      return msg::dataset_clip_typical{};
    case ClipKind::shortest:
      return msg::dataset_clip_shortest{};
    case ClipKind::longest:
      return msg::dataset_clip_longest{};
    case ClipKind::fastest:
      return msg::dataset_clip_fastest{};
    case ClipKind::slowest:
      return msg::dataset_clip_slowest{};
  }
  return {};
}

std::string clip_html(const NotableClip& clip, const std::string& url, const Translator& w) {
  return fmt::format(
      "<figure>\n<figcaption><bdi>{}</bdi></figcaption>\n<p dir=\"auto\">{}</p>\n"
      "<audio controls preload=\"metadata\" src=\"{}\"></audio>\n<p class=\"heard\">{}</p>\n"
      "</figure>\n",
      html_escaped(clip.id),
      html_escaped(clip.text),
      html_escaped(url),
      html_escaped(w.tr(msg::dataset_clip_about{.length = in_seconds(clip.length.count(), 2),
                                                .pace = plain(clip.characters_per_second, 1)})));
}

// One card for each kind, its clips side by side.
std::string clips_html(const DatasetReport& report, const DatasetPage& page, const Translator& w) {
  if (report.clips.empty()) {
    return {};
  }
  std::array<std::string, kNumClipKinds> kinds;
  for (const NotableClip& clip : report.clips) {
    kinds.at(static_cast<std::size_t>(clip.kind)) +=
        clip_html(clip, audio_url(report, page, clip.audio), w);
  }
  std::string html = fmt::format("<p>{}</p>\n", html_escaped(w.tr(msg::dataset_listen_about{})));
  for (std::size_t i = 0; i < kNumClipKinds; ++i) {
    if (kinds.at(i).empty()) {
      continue;
    }
    html += fmt::format(
        "<article class=\"clip\">\n<h3>{}</h3>\n<div class=\"voices\">\n{}</div>\n</article>\n",
        html_escaped(w.tr(kind_title(static_cast<ClipKind>(i)))),
        kinds.at(i));
  }
  return render_section({"clips", w.tr(msg::dataset_listen{}), html});
}

}  // namespace

std::string render_html(const DatasetReport& report,
                        const DatasetPage& page,
                        const Translator& words) {
  const Translator w = words.on_pages();
  Document document = to_document(report, page.list_limit);
  const std::string title = html_escaped(w.tr(*document.sections.front().title));
  document.sections.front().title.reset();
  std::string body = "<main>\n<h1>" + title + "</h1>\n";
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    for (Table& table : document.sections[i].tables) {
      link_audio(report, page, table);
    }
    body += render_html(document.sections[i], w);
    if (i == 0) {  // behind the verdict and what there is
      body += clips_html(report, page, w);
    }
  }
  body += "</main>\n<footer>" + prose_html(w.tr(msg::dataset_footer{})) + "</footer>\n";
  return render_page({.language = w.language(),
                      .title = words.tr(msg::dataset_title{.folder = report.root.string()}),
                      .style = std::string(kPageCss),
                      .body = std::move(body),
                      .shows_files = true});
}

}  // namespace qanat
