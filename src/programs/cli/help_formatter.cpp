#include "cli/help_formatter.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utf8.h"
#include "locale/messages/help.h"

namespace qanat {
namespace {

constexpr std::size_t kNameColumn = 2;
constexpr std::size_t kWordsColumn = 32;
constexpr int kNarrowest = 60;
constexpr int kWidest = 110;  // longer lines are hard to read

}  // namespace

std::size_t text_columns(std::string_view text) {
  constexpr std::u32string_view kWithoutWidth = U"\u200C\u2068\u2069";
  std::size_t columns = 0;
  for (const char32_t code_point : decode_utf8(text)) {
    columns += kWithoutWidth.find(code_point) == std::u32string_view::npos ? 1 : 0;
  }
  return columns;
}

std::string fact_line(const std::string& name, const std::string& text) {
  constexpr std::size_t kFactColumn = 12;
  const std::size_t columns = text_columns(name);
  return fmt::format(
      "{}{:{}}{}\n", name, "", columns < kFactColumn ? kFactColumn - columns : 1, text);
}

std::string without_ticks(std::string text) {
  std::erase(text, '`');
  return text;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  constexpr const char* kBlanks = " \n\t";
  std::vector<std::string> lines;
  std::size_t columns = 0;
  std::size_t end = 0;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string::npos;
       at = text.find_first_not_of(kBlanks, end)) {
    const std::size_t gap = at - end;
    end = std::min(text.find_first_of(kBlanks, at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t more = text_columns(word);
    if (lines.empty() || columns + gap + more > width) {
      lines.push_back(word);
      columns = more;
    } else {
      lines.back() += std::string(gap, ' ') + word;
      columns += gap + more;
    }
  }
  return lines;
}

HelpFormatter::HelpFormatter(int width, Translator words)
    : width_(static_cast<std::size_t>(std::clamp(width, kNarrowest, kWidest))), words_(words) {
  column_width(kWordsColumn);
  label("SUBCOMMAND", "COMMAND");
  label("Usage", words_.tr(msg::help_usage{}));
  label("Positionals", words_.tr(msg::help_arguments{}));
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return without_ticks(app->get_description()) + '\n';
}

// Examples are indented, and not wrapped: they are copied.
std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string footer;
  std::istringstream lines(without_ticks(app->get_footer()));
  for (std::string line; std::getline(lines, line);) {
    const bool as_it_is = line.empty() || line.starts_with("  ");
    footer += as_it_is ? line + '\n' : fmt::format("{}\n", fmt::join(wrapped(line, width_), "\n"));
  }
  return footer;
}

std::string HelpFormatter::entry(const std::string& name, const std::string& words) const {
  std::string text = fmt::format("{:{}}{}", "", kNameColumn, name);
  bool first_line = text.size() + 1 < kWordsColumn;
  if (!first_line || words.empty()) {
    text += '\n';
  }
  for (const std::string& line : wrapped(without_ticks(words), width_ - kWordsColumn)) {
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
                     option->get_required() ? ' ' + words_.tr(msg::help_required{}) : "");
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace qanat
