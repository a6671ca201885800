#include "report/figure.h"

#include <iterator>

#include <fmt/format.h>

#include "report/html.h"

namespace qanat {
namespace {

void add_figure_table(const Figure& figure, const Words& words, std::string& html) {
  if (figure.rows.empty()) {
    return;
  }
  const auto out = std::back_inserter(html);
  fmt::format_to(out,
                 "<details class=\"figures\"><summary>{}</summary>\n"
                 "<div class=\"scroll\"><table id=\"{}-table\">\n<caption>{}</caption>\n<tr>",
                 html_escaped(words.say("The figures as a table")),
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

}  // namespace

std::string render_figure(const Figure& figure, const Words& words) {
  std::string html =
      fmt::format("<figure id=\"{0}-figure\">\n<figcaption><strong>{1}</strong> {2}</figcaption>\n",
                  figure.id,
                  html_escaped(figure.title),
                  html_escaped(figure.about));
  if (!figure.legend.empty()) {
    html += "<ul class=\"legend\">";
    for (const LegendEntry& entry : figure.legend) {
      html += fmt::format(
          "<li><svg aria-hidden=\"true\" viewBox=\"0 0 12 12\"><rect class=\"{}\" "
          "width=\"12\" height=\"12\" rx=\"2\"/></svg>{}</li>",
          entry.style,
          html_escaped(entry.name));
    }
    html += "</ul>\n";
  }
  html += "<div class=\"scroll plots\">\n" + figure.chart + "</div>\n";
  if (!figure.rows.empty()) {
    html += "<output class=\"reading\" aria-live=\"polite\"></output>\n";
  }
  add_figure_table(figure, words, html);
  return html + "</figure>\n";
}

std::string render_section(const PageSection& section) {
  const std::string heading =
      section.title.empty()
          ? std::string()
          : fmt::format("<h2 id=\"{}-heading\">{}</h2>\n", section.id, html_escaped(section.title));
  return fmt::format(
      "<section id=\"{0}\"{1}>\n{2}{3}</section>\n",
      section.id,
      heading.empty() ? std::string() : fmt::format(" aria-labelledby=\"{}-heading\"", section.id),
      heading,
      section.html);
}

}  // namespace qanat
