#include "cli/help_formatter.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace qanat {
namespace {

constexpr std::size_t kNameColumn = 2;
constexpr std::size_t kWordsColumn = 32;
constexpr int kNarrowest = 60;
constexpr int kWidest = 110;  // longer lines are hard to read

// A line break in `text` stays one.
std::vector<std::string> wrapped_lines(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> more = wrapped(line, width);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      lines.back() += ' ';
      lines.back() += word;
    }
  }
  return lines;
}

HelpFormatter::HelpFormatter(int width)
    : width_(static_cast<std::size_t>(std::clamp(width, kNarrowest, kWidest))) {
  column_width(kWordsColumn);
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormatter::entry(const std::string& name, const std::string& words) const {
  std::string text = fmt::format("{:{}}{}", "", kNameColumn, name);
  bool first_line = text.size() + 1 < kWordsColumn;
  if (!first_line || words.empty()) {
    text += '\n';
  }
  for (const std::string& line : wrapped_lines(words, width_ - kWordsColumn)) {
    const std::size_t indent = first_line ? kWordsColumn - text.size() : kWordsColumn;
    text += fmt::format("{:{}}{}\n", "", indent, line);
    first_line = false;
  }
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option),
               make_option_desc(option));
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const bool takes_value = option->get_type_size() != 0 && option->get_expected_max() != 0;
  if (!takes_value || option->get_positional()) {
    return "";
  }
  const std::string initial = option->get_default_str();
  return fmt::format(" {}{}{}",
                     option->get_type_name(),
                     initial.empty() ? "" : "=" + initial,
                     option->get_required() ? " (required)" : "");
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace qanat
