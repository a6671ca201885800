#include "page/figure.h"

#include <iterator>

#include <fmt/format.h>

#include "locale/messages/charts.h"
#include "page/html.h"

namespace qanat {
namespace {

void add_figure_table(const Figure& figure, const Translator& words, std::string& html) {
  if (figure.rows.empty()) {
    return;
  }
  const auto out = std::back_inserter(html);
  fmt::format_to(out,
                 "<details class=\"figures\"><summary>{}</summary>\n"
                 "<div class=\"scroll\"><table id=\"{}-table\">\n<caption>{}</caption>\n<tr>",
                 html_escaped(words.tr(msg::chart_table{})),
                 figure.id,
                 html_escaped(figure.title));
  for (const std::string& column : figure.columns) {
    fmt::format_to(out, "<th scope=\"col\">{}</th>", html_escaped(column));
  }
  html += "</tr>\n";
  for (const FigureRow& row : figure.rows) {
    fmt::format_to(out, "<tr data-x=\"{:.1f}\">", row.x);
    for (const std::string& cell : row.cells) {
      fmt::format_to(out, "<td>{}</td>", html_escaped(cell));
    }
    html += "</tr>\n";
  }
  html += "</table></div></details>\n";
}

std::string legend_sign(const LegendEntry& entry) {
  switch (entry.shape) {
    case LegendShape::line:
      return fmt::format("<line class=\"{}\" x1=\"0\" x2=\"12\" y1=\"6\" y2=\"6\"/>", entry.style);
    case LegendShape::dot:
      return fmt::format("<circle class=\"{}\" cx=\"6\" cy=\"6\" r=\"4\"/>", entry.style);
    case LegendShape::box:
      break;
  }
  return fmt::format("<rect class=\"{}\" width=\"12\" height=\"12\" rx=\"2\"/>", entry.style);
}

}  // namespace

std::string render_figure(const Figure& figure, const Translator& words) {
  const std::string title =
      fmt::format("<strong>{}</strong> {}", html_escaped(figure.title), html_escaped(figure.about));
  std::string html =
      fmt::format("<figure id=\"{}-figure\">\n{}",
                  figure.id,
                  figure.folded ? "<details class=\"folded\"><summary>" + title + "</summary>\n"
                                : "<figcaption>" + title + "</figcaption>\n");
  if (!figure.legend.empty()) {
    html += "<ul class=\"legend\">";
    for (const LegendEntry& entry : figure.legend) {
      html += fmt::format("<li><svg aria-hidden=\"true\" viewBox=\"0 0 12 12\">{}</svg>{}</li>",
                          legend_sign(entry),
                          html_escaped(entry.name));
    }
    html += "</ul>\n";
  }
  html += fmt::format("<div class=\"scroll plots{}\">\n{}</div>\n",
                      figure.newest_last ? " newest" : "",
                      figure.chart);
  if (!figure.rows.empty()) {
    html += "<output class=\"reading\" aria-live=\"polite\"></output>\n";
  }
  add_figure_table(figure, words, html);
  return html + (figure.folded ? "</details>\n" : "") + "</figure>\n";
}

std::string render_section(const PageSection& section) {
  const std::string title = html_escaped(section.title);
  if (section.id.empty()) {
    return "<section>\n" + (title.empty() ? title : "<h2>" + title + "</h2>\n") + section.html +
           "</section>\n";
  }
  const std::string heading =
      title.empty() ? title : fmt::format("<h2 id=\"{}-heading\">{}</h2>\n", section.id, title);
  return fmt::format(
      "<section id=\"{0}\"{1}>\n{2}{3}</section>\n",
      section.id,
      heading.empty() ? std::string() : fmt::format(" aria-labelledby=\"{}-heading\"", section.id),
      heading,
      section.html);
}

}  // namespace qanat
