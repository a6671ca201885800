// A chart on a page with everything around it: caption, legend, and its figures as a table for
// those who cannot see it. The page's script reads the same table when a key or the pointer moves
// over the chart, so no figure is on the page twice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "locale/translator.h"

namespace qanat {

enum class LegendShape { box, line, dot };

struct LegendEntry {
  std::string style;  // class that colours it
  std::string name;
  LegendShape shape = LegendShape::box;  // as it is in the chart
};

struct FigureRow {
  double x = 0;  // in the chart's own units: where the cursor stands for this row
  std::vector<std::string> cells;
};

struct Figure {
  std::string id;
  std::string title;
  std::string about;  // one sentence: what it shows here
  std::string chart;  // SVG
  std::vector<LegendEntry> legend{};
  std::vector<std::string> columns{};
  std::vector<FigureRow> rows{};
  bool newest_last = false;  // its right end is the newest: what narrow screens show first
  bool folded = false;       // behind its title until a reader opens it
};

// Everything but the chart is plain text and escaped here.
std::string render_figure(const Figure& figure, const Translator& words);

// A part of a page under a heading of its own.
struct PageSection {
  std::string id;
  std::string title;
  std::string html;
};
std::string render_section(const PageSection& section);

}  // namespace qanat
