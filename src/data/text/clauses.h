// Clauses of a sentence and the marks between them, in any script. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qanat {

struct Clause {
  std::string words;
  std::string marks;  // behind them, as the symbol tables have them; no spaces

  bool operator==(const Clause&) const = default;
};

// Parts a line at marks that are pauses. A mark between two digits, or inside a word, is none.
std::vector<Clause> split_clauses(std::string_view line);

// What a speaker said of a line, part by part, with the marks of the line: each where it stands if
// the speaker paused where the marks are, else the last one only.
std::string join_clauses(std::string_view line, const std::vector<std::string>& spoken);

// Parts a line that is too long, at spaces where there are any.
std::vector<std::string> split_long_line(std::string_view line, std::size_t longest);

}  // namespace qanat
