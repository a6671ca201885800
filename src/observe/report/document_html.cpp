#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "locale/messages/profiles.h"
#include "page/html.h"
#include "report/document_words.h"

namespace qanat {
namespace {

std::string_view class_of(Mood mood) {
  constexpr std::array<std::string_view, 5> kClasses = {"", "good", "note", "warning", "error"};
  return kClasses.at(static_cast<std::size_t>(mood));
}

std::string heads_html(const Table& table, const Translator& w) {
  std::string html;
  for (const Column& column : table.columns) {
    if (column.name) {
      html += fmt::format("<th scope=\"col\"{}>{}</th>",
                          column.kind == CellKind::number ? " class=\"number\"" : "",
                          html_escaped(w.tr(*column.name)));
    }
  }
  return html;
}

std::string cell_html(const Column& column, const Value& cell, const Translator& w) {
  if (column.kind == CellKind::audio) {
    return cell.shown ? fmt::format("<audio controls preload=\"none\" src=\"{}\"></audio>",
                                    html_escaped(cell_words(cell, Translator())))
                      : std::string();
  }
  // Code stands in its own element, which isolates it.
  return column.kind == CellKind::code ? code_html(cell_words(cell, Translator()))
                                       : prose_html(cell_words(cell, w));
}

std::string first_cell_html(const Row& row, const std::string& html) {
  return fmt::format(
      "<th scope=\"row\">{}{}</th>",
      row.link.empty() ? html : fmt::format("<a href=\"{}\">{}</a>", html_escaped(row.link), html),
      row.code.empty() ? std::string() : "<br>" + code_html(row.code));
}

std::string row_html(const Table& table, const Row& row, const Translator& w) {
  std::string html;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (!column.name) {
      continue;
    }
    const std::string cell = cell_html(column, row.cells.at(i), w);
    if (i == 0) {
      html += first_cell_html(row, cell);
    } else if (column.kind == CellKind::number) {
      html += "<td class=\"number\"><bdi>" + cell + "</bdi></td>";
    } else {
      html += "<td>" + cell + "</td>";
    }
  }
  if (row.bar) {
    html += fmt::format(
        "<td><svg class=\"bar\" aria-hidden=\"true\"><rect width=\"{:.2f}%\" "
        "height=\"100%\"/></svg></td>",
        100 * *row.bar);
  }
  return "<tr>" + html + "</tr>\n";
}

// Clips that can be heard stand below each other where the screen is narrow.
std::string_view class_of(const Table& table, bool has_bars) {
  const bool is_heard =
      std::ranges::find(table.columns, CellKind::audio, &Column::kind) != table.columns.end();
  return has_bars ? " class=\"histogram\"" : is_heard ? " class=\"heard\"" : "";
}

std::string table_html(const Table& table, const Translator& w) {
  const std::string heads = heads_html(table, w);
  if (heads.empty() || table.rows.empty()) {
    return "";
  }
  const bool has_bars = table.rows.front().bar.has_value();
  std::string html = fmt::format(
      "<div class=\"scroll\"><table{}>\n{}<thead><tr>{}{}</tr></thead>\n<tbody>\n",
      class_of(table, has_bars),
      table.caption ? "<caption>" + html_escaped(w.tr(*table.caption)) + "</caption>\n" : "",
      heads,
      has_bars ? "<td></td>" : "");
  for (const Row& row : table.rows) {
    html += row_html(table, row, w);
  }
  return html + "</tbody></table></div>\n";
}

std::string paragraph(const std::string& text, const std::string& style = {}) {
  return (style.empty() ? "<p>" : "<p class=\"" + style + "\">") + prose_html(text) + "</p>\n";
}

std::string lead_html(const Section& section, const Translator& w) {
  if (!section.lead) {
    return "";
  }
  const bool is_verdict = section.mood != Mood::none && section.fold == Fold::none;
  return paragraph(w.tr(*section.lead),
                   is_verdict ? "verdict " + std::string(class_of(section.mood)) : "");
}

std::string folded_html(const Section& section, const Translator& w, const std::string& html) {
  return fmt::format(
      "<details{}><summary><strong class=\"{}\">{}</strong></summary>\n{}</details>\n",
      section.fold == Fold::open ? " open" : "",
      class_of(section.mood),
      section.title ? html_escaped(w.tr(*section.title)) : std::string(),
      html);
}

}  // namespace

std::string facts_html(const std::vector<Fact>& facts, const Translator& w) {
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

std::string render_html(const Section& section, const Translator& w) {
  std::string html = lead_html(section, w);
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
  if (section.fold != Fold::none) {
    return folded_html(section, w, html);
  }
  if (html.empty() && !section.title) {
    return html;  // it is for programs
  }
  return render_section({section.key, section.title ? w.tr(*section.title) : std::string(), html});
}

}  // namespace qanat
