#include <fmt/format.h>

#include "report/document_words.h"
#include "report/html.h"

namespace qanat {
namespace {

std::string facts_html(const std::vector<Fact>& facts, const Words& w) {
  std::string html;
  for (const Fact& fact : facts) {
    if (fact.name) {
      html += fmt::format("<dt>{}</dt><dd>{}</dd>\n",
                          html_escaped(w.said(*fact.name)),
                          prose_html(fact_words(fact, w)));
    }
  }
  return html.empty() ? html : "<dl>\n" + html + "</dl>\n";
}

std::string heads_html(const Table& table, const Words& w) {
  std::string html;
  for (const Column& column : table.columns) {
    if (column.name) {
      html += fmt::format("<th scope=\"col\"{}>{}</th>",
                          column.is_number ? " class=\"number\"" : "",
                          html_escaped(w.tr(*column.name)));
    }
  }
  return html;
}

std::string first_cell_html(const Row& row, const std::string& text) {
  const std::string name =
      row.link.empty()
          ? html_escaped(text)
          : fmt::format("<a href=\"{}\">{}</a>", html_escaped(row.link), html_escaped(text));
  return fmt::format("<th scope=\"row\">{}{}</th>",
                     name,
                     row.code.empty()
                         ? std::string()
                         : "<br><code dir=\"ltr\">" + html_escaped(row.code) + "</code>");
}

std::string row_html(const Table& table, const Row& row, const Words& w) {
  std::string html;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].name) {
      continue;
    }
    const std::string text = cell_words(row.cells.at(i), w);
    if (i == 0) {
      html += first_cell_html(row, text);
    } else if (table.columns[i].is_number) {
      html += fmt::format("<td class=\"number\"><bdi>{}</bdi></td>", html_escaped(text));
    } else {
      html += fmt::format("<td>{}</td>", html_escaped(text));
    }
  }
  return "<tr>" + html + "</tr>\n";
}

std::string table_html(const Table& table, const Words& w) {
  const std::string heads = heads_html(table, w);
  if (heads.empty() || table.rows.empty()) {
    return "";
  }
  std::string html = fmt::format(
      "<div class=\"scroll\"><table>\n{}<thead><tr>{}</tr></thead>\n<tbody>\n",
      table.caption ? "<caption>" + html_escaped(w.tr(*table.caption)) + "</caption>\n" : "",
      heads);
  for (const Row& row : table.rows) {
    html += row_html(table, row, w);
  }
  return html + "</tbody></table></div>\n";
}

std::string paragraph(const std::string& text) {
  return "<p>" + prose_html(text) + "</p>\n";
}

}  // namespace

std::string render_html(const Section& section, const Words& w) {
  std::string html = section.lead ? paragraph(w.tr(*section.lead)) : "";
  for (const auto& make : section.figures) {
    if (const std::optional<Figure> figure = make(w)) {
      html += render_figure(*figure, w);
    }
  }
  for (const Table& table : section.tables) {
    html += table_html(table, w);
  }
  html += facts_html(section.facts, w);
  for (const MessageArg& remark : section.remarks) {
    html += paragraph(w.said(remark));
  }
  if (section.skipped) {
    html += paragraph(w.tr(msg::doc_skipped{.why = *section.skipped}));
  }
  return render_section({section.key, section.title ? w.tr(*section.title) : std::string(), html});
}

}  // namespace qanat
