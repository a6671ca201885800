#include "report/text_lines.h"

#include <algorithm>

#include "report/persian.h"

namespace qanat {
namespace {

constexpr std::string_view kColumnGap = "  ";

// Figures, however they are bracketed; "-" stands for none.
bool is_figure(std::string_view cell) {
  return cell.find_first_not_of("0123456789.,:+-[]% ") == std::string_view::npos;
}

std::string translated_cell(std::string_view cell, const Words& words) {
  if (has_persian(cell)) {
    return words.say(cell);
  }
  return is_figure(cell) ? words.digits(cell) : words.verbatim(cell);
}

std::string translated_line(std::string_view line, const Words& words) {
  std::string text;
  while (!line.empty()) {
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    text += line.substr(0, spaces);
    line.remove_prefix(spaces);
    if (line.empty()) {
      break;
    }
    // A cell that is known by itself stands for itself; else a sentence may hold wide gaps.
    std::string_view cell = line.substr(0, line.find(kColumnGap));
    if (!has_persian(cell) && has_persian(line)) {
      cell = line;
    }
    text += translated_cell(cell, words);
    line.remove_prefix(cell.size());
  }
  return text;
}

}  // namespace

std::string translated_lines(std::string_view english, const Words& words) {
  if (words.language() == Language::en) {
    return std::string(english);
  }
  std::string text;
  while (!english.empty()) {
    const std::size_t end = english.find('\n');
    text += translated_line(english.substr(0, end), words);
    if (end == std::string_view::npos) {
      break;
    }
    text += '\n';
    english.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace qanat
