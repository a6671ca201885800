#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "locale/messages/profiles.h"
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

// Holds what people see of a table.
struct Grid {
  std::vector<bool> is_number;
  std::vector<std::vector<std::string>> lines;  // the heads first
  std::vector<std::string> bars;                // one behind each line

  std::size_t width(std::size_t column) const {
    std::size_t most = 0;
    for (const std::vector<std::string>& line : lines) {
      most = std::max(most, display_width(line[column]));
    }
    return most;
  }
};

std::string bar_of(double share, Bars bars) {
  constexpr double kWidth = 40;
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (bars == Bars::ascii) {
    return std::string(static_cast<std::size_t>(std::ceil(share * kWidth - 1e-9)), '#');
  }
  const auto eighths = static_cast<std::size_t>(std::ceil(share * kWidth * 8 - 1e-9));
  std::string blocks;
  for (std::size_t i = 0; i < eighths / 8; ++i) {
    blocks += "█";
  }
  return blocks.append(kEighths.at(eighths % 8));
}

Grid grid_of(const Table& table, const Translator& t, Bars bars) {
  Grid grid;
  std::vector<std::size_t> shown;
  grid.bars.emplace_back();
  grid.lines.emplace_back();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name && !table.columns[i].on_pages_only) {
      shown.push_back(i);
      grid.is_number.push_back(table.columns[i].kind == CellKind::number);
      grid.lines.back().push_back(t.tr(*table.columns[i].name));
    }
  }
  for (const Row& row : table.rows) {
    grid.bars.push_back(row.bar ? bar_of(*row.bar, bars) : std::string());
    grid.lines.emplace_back();
    for (const std::size_t column : shown) {
      grid.lines.back().push_back(cell_words(row.cells.at(column), t));
    }
  }
  return grid;
}

void write_table(const Table& table, const Grid& grid, std::string_view indent, std::string& to) {
  if (grid.is_number.empty() || table.rows.empty()) {
    return;
  }
  for (std::size_t row = 0; row < grid.lines.size(); ++row) {
    const std::vector<std::string>& line = grid.lines[row];
    to += indent;
    for (std::size_t i = 0; i < line.size(); ++i) {
      to += padded(line[i], grid.width(i), grid.is_number[i]) + std::string(kColumnGap, ' ');
    }
    to += grid.bars[row];
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

std::string render_text(const Section& section, const Translator& translator, Bars bars) {
  if (section.on_pages_only) {
    return {};
  }
  const Translator t = translator.on_terminals();
  std::string text;
  std::string_view indent;
  if (section.title) {
    indent = kIndent;
    text += t.tr(*section.title);
    text += section.lead ? std::string(kIndent) + t.tr(*section.lead) : "";
    text += '\n';
  }
  for (const Table& table : section.tables) {
    write_table(table, grid_of(table, t, bars), indent, text);
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

std::string render_text(const Document& document, const Translator& t, Bars bars) {
  std::string text;
  for (const Section& section : document.sections) {
    std::string part = render_text(section, t, bars);
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
