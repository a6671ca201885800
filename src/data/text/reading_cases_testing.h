// Cases of text and its reading, from a TSV file. For tests only.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace qanat {

struct ReadingCase {
  int line = 0;  // of the file, from 1
  std::string text;
  std::string reading;
};

// One case per line: text, tab, reading. Empty lines and lines that begin with # are skipped.
inline std::vector<ReadingCase> read_reading_cases(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<ReadingCase> cases;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) {
      throw std::runtime_error(path.string() + ':' + std::to_string(number) + ": no tab");
    }
    cases.push_back({.line = number, .text = line.substr(0, tab), .reading = line.substr(tab + 1)});
  }
  if (cases.empty()) {
    throw std::runtime_error(path.string() + ": no cases");
  }
  return cases;
}

}  // namespace qanat
