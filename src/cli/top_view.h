// A run as lines of a terminal: state, pace, where steps go, buffers, devices and the verdict.
// Pure; every line fits the width.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "diagnose/diagnosis.h"
#include "locale/translator.h"
#include "metrics/run_snapshot.h"

namespace qanat {

struct TopState {
  std::filesystem::path journal;
  const RunSnapshot& run;
  const Diagnosis& diagnosis;
  Translator words{};
  Message problem{};  // with the journal; says nothing where there is none
};

// The whole view. Colours only where the terminal has them.
std::vector<std::string> render_top(const TopState& state, const Terminal& terminal);

// The same in one line: for logs.
std::string render_top_line(const TopState& state);

// "▁▃█": one sign for each of the newest values, scaled between their least and greatest.
std::string sparkline(const std::vector<double>& values, std::size_t width, bool unicode);

// A text cut to `width` columns; escape sequences and isolates take none.
std::string cut_to_width(const std::string& text, int width);

}  // namespace qanat
