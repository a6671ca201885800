#include <algorithm>
#include <cstdint>

#include "report/document.h"
#include "report/document_words.h"
#include "report/run_text.h"

namespace qanat {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::size_t kColumnGap = 2;

std::string padded(const std::string& text, std::size_t width, bool to_the_right = false) {
  const std::size_t own = display_width(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return to_the_right ? blanks + text : text + blanks;
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

// Of a table, only what people see.
struct Grid {
  std::vector<bool> is_number;
  std::vector<std::vector<std::string>> lines;  // the heads first

  std::size_t width(std::size_t column) const {
    std::size_t most = 0;
    for (const std::vector<std::string>& line : lines) {
      most = std::max(most, display_width(line[column]));
    }
    return most;
  }
};

Grid grid_of(const Table& table, const Translator& t) {
  Grid grid;
  std::vector<std::size_t> shown;
  grid.lines.emplace_back();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name) {
      shown.push_back(i);
      grid.is_number.push_back(table.columns[i].is_number);
      grid.lines.back().push_back(t.tr(*table.columns[i].name));
    }
  }
  for (const Row& row : table.rows) {
    grid.lines.emplace_back();
    for (const std::size_t column : shown) {
      grid.lines.back().push_back(cell_words(row.cells.at(column), t));
    }
  }
  return grid;
}

void write_table(const Table& table,
                 const Translator& t,
                 std::string_view indent,
                 std::string& to) {
  const Grid grid = grid_of(table, t);
  if (grid.is_number.empty() || table.rows.empty()) {
    return;
  }
  for (const std::vector<std::string>& line : grid.lines) {
    to += indent;
    for (std::size_t i = 0; i < line.size(); ++i) {
      to += padded(line[i], grid.width(i), grid.is_number[i]) + std::string(kColumnGap, ' ');
    }
    end_line(to);
  }
}

void write_facts(const Section& section,
                 const Translator& t,
                 std::string_view indent,
                 std::string& to) {
  std::size_t width = 0;
  for (const Fact& fact : section.facts) {
    width = std::max(width, fact.name ? display_width(t.said(*fact.name)) : 0);
  }
  for (const Fact& fact : section.facts) {
    if (fact.name) {
      to += indent;
      to += padded(t.said(*fact.name), width + kColumnGap) + fact_words(fact, t);
      end_line(to);
    }
  }
}

std::string diagnosis_text(DiagnosisPart part, const Diagnosis& diagnosis, const Translator& t) {
  switch (part) {
    case DiagnosisPart::none:
      return "";
    case DiagnosisPart::verdict:
      return render_verdict(diagnosis, t) + "\n";
    case DiagnosisPart::findings:
      return render_findings(diagnosis, t);
    case DiagnosisPart::checks:
      return render_checks(diagnosis, t);
  }
  return "";
}

}  // namespace

std::string render_text(const Section& section, const Translator& t) {
  std::string text;
  std::string_view indent;
  if (section.title) {
    indent = kIndent;
    text += t.tr(*section.title);
    text += section.lead ? std::string(kIndent) + t.tr(*section.lead) : "";
    text += '\n';
  }
  for (const Table& table : section.tables) {
    write_table(table, t, indent, text);
  }
  write_facts(section, t, indent, text);
  for (const MessageArg& remark : section.remarks) {
    text += std::string(indent) + t.said(remark) + '\n';
  }
  for (const std::string& line : section.code) {
    text += std::string(indent) + std::string(kIndent) + line + '\n';
  }
  if (section.skipped) {
    text += std::string(indent) + t.tr(msg::doc_skipped{.why = *section.skipped}) + '\n';
  }
  return text;
}

std::string render_text(const Document& document, const Translator& t) {
  std::string text;
  for (const Section& section : document.sections) {
    std::string part = render_text(section, t);
    // What the rules say follows the verdict; everything else stands by itself.
    const bool stands_alone = !part.empty() || section.shows == DiagnosisPart::checks;
    if (document.diagnosis) {
      part += diagnosis_text(section.shows, *document.diagnosis, t);
    }
    text += stands_alone && !part.empty() && !text.empty() ? "\n" : "";
    text += part;
  }
  return text;
}

}  // namespace qanat
