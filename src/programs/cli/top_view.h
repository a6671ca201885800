// A run as lines of a terminal: state, pace, what is learnt, where steps go, buffers, devices, the
// machine and the verdict. Pure; every line fits the width.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "diagnose/diagnosis.h"
#include "history/run_history.h"
#include "locale/translator.h"
#include "metrics/run_snapshot.h"

namespace qanat {

struct TopState {
  std::filesystem::path journal;
  const RunSnapshot& run;
  const RunRecord& record;
  const Diagnosis& diagnosis;
  Translator words{};
  Message problem{};  // with the journal; says nothing where there is none
};

// The whole view. Colours only where the terminal has them. With `rows` it is not longer, the least
// important lines go first, and charts take the rows that are left.
std::vector<std::string> render_top(const TopState& state,
                                    const Terminal& terminal,
                                    std::optional<int> rows = std::nullopt);

// The same in one line: for logs.
std::string render_top_line(const TopState& state);

struct ChartSize {
  std::size_t width = 10;
  std::size_t height = 1;  // rows
  bool unicode = true;
};

// "▁▃█": one column for each of the newest values, scaled between their least and greatest. The
// upper row comes first; no values, no rows.
std::vector<std::string> column_chart(const std::vector<double>& values, const ChartSize& size);

// A text cut to `width` columns; escape sequences and isolates take none.
std::string cut_to_width(const std::string& text, int width);

}  // namespace qanat
