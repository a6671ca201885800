#include "dataset/table_parser.h"

#include <algorithm>
#include <array>

namespace qanat {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // the byte order mark
// A quoted cell that is longer is taken for a stray mark.
constexpr std::size_t kMaxQuoted = 1 << 16;
constexpr std::string_view kTrimmed = " \t\v\f";

std::string_view trimmed_cell(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kTrimmed);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(kTrimmed) - begin + 1);
}

}  // namespace

std::optional<TableForm> table_form(std::string_view bytes) {
  if (bytes.starts_with(kMark)) {
    bytes.remove_prefix(kMark.size());
  }
  const std::size_t begin = bytes.find_first_not_of("\r\n \t");
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  bytes.remove_prefix(begin);
  const std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
  constexpr std::array kSeparators = {'|', '\t', ',', ';'};
  const char most = *std::ranges::max_element(
      kSeparators, {}, [&](char separator) { return std::ranges::count(line, separator); });
  if (most == '|' || std::ranges::count(line, most) == 0) {
    return std::nullopt;
  }
  return TableForm{.separator = most};
}

TableParser::TableParser(std::string_view bytes, TableForm form) : rest_(bytes), form_(form) {
  if (rest_.starts_with(kMark)) {
    rest_.remove_prefix(kMark.size());
  }
}

bool TableParser::next() {
  while (!rest_.empty()) {
    line_ = next_line_;
    cells_.clear();
    while (true) {
      read_cell();
      if (rest_.empty() || rest_.front() != form_.separator) {
        break;
      }
      rest_.remove_prefix(1);
    }
    skip_line_end();
    if (cells_.size() > 1 || !cells_.front().empty()) {
      return true;
    }
  }
  return false;
}

void TableParser::read_cell() {
  if (form_.has_quotes && !rest_.empty() && rest_.front() == '"' && read_quoted()) {
    return;
  }
  const std::array<char, 3> ends = {form_.separator, '\n', '\r'};
  const std::size_t end =
      std::min(rest_.find_first_of(std::string_view(ends.data(), ends.size())), rest_.size());
  cells_.emplace_back(trimmed_cell(rest_.substr(0, end)));
  rest_.remove_prefix(end);
}

// Takes nothing unless the cell is closed.
bool TableParser::read_quoted() {
  const bool may_span = form_.separator != '\t';
  std::string cell;
  int lines = 0;
  for (std::size_t i = 1; i < rest_.size() && i < kMaxQuoted; ++i) {
    const char c = rest_[i];
    if (c == '\n') {
      if (!may_span) {
        return false;
      }
      ++lines;
    }
    if (c != '"') {
      cell.push_back(c);
      continue;
    }
    if (i + 1 < rest_.size() && rest_[i + 1] == '"') {
      cell.push_back('"');
      ++i;
      continue;
    }
    const std::string_view after = rest_.substr(i + 1);
    if (!after.empty() && after.front() != form_.separator && after.front() != '\n' &&
        after.front() != '\r') {
      return false;
    }
    cells_.push_back(std::move(cell));
    rest_ = after;
    next_line_ += lines;
    return true;
  }
  return false;
}

void TableParser::skip_line_end() {
  if (rest_.starts_with("\r\n")) {
    rest_.remove_prefix(2);
  } else if (!rest_.empty()) {
    rest_.remove_prefix(1);
  }
  ++next_line_;
}

}  // namespace qanat
