#include "dataset/manifest_parser.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "dataset/column_names.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"

namespace qanat {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlank = " \t\r\v\f";
// An hour of speech. A longer line is not a row, and parsing it would cost time.
constexpr std::size_t kMaxLine = 1 << 16;
// Share of zeros in the first bytes of a file above which it is not text.
constexpr std::size_t kMaxZeroShare = 8;  // one in

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// A zero byte is UTF-8, but no text.
std::optional<std::size_t> first_not_text(std::string_view line) {
  const std::optional<std::size_t> invalid = first_invalid_utf8(line);
  const std::size_t zero = line.substr(0, invalid.value_or(line.size())).find('\0');
  return zero == std::string_view::npos ? invalid : zero;
}

int* column_of(ManifestColumns& columns, ColumnRole role) {
  constexpr std::array kColumns = {&ManifestColumns::audio,
                                   &ManifestColumns::text,
                                   &ManifestColumns::normalised,
                                   &ManifestColumns::speaker,
                                   &ManifestColumns::language};
  const auto index = static_cast<std::size_t>(role);
  return index < kColumns.size() ? &(columns.*kColumns.at(index)) : nullptr;
}

struct Header {
  ManifestColumns columns;
  std::vector<std::string> unused;  // names of columns that mean nothing here, or a second time
};

// A header names an audio column and a text column; anything else is a row.
std::optional<Header> to_header(const std::vector<std::string_view>& cells) {
  constexpr int kAbsent = ManifestColumns::kAbsent;
  Header header{.columns = {kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, 0, 0}, .unused = {}};
  ManifestColumns& columns = header.columns;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    int* const column = column_of(columns, role_of(cells[i]));
    if (column != nullptr && *column == kAbsent) {
      *column = static_cast<int>(i);
    } else {
      header.unused.emplace_back(cells[i]);
    }
  }
  // `audio_file|transcription` has one text column, whatever it calls it.
  if (columns.text == kAbsent) {
    columns.text = std::exchange(columns.normalised, kAbsent);
  }
  if (columns.audio == kAbsent || columns.text == kAbsent) {
    return std::nullopt;
  }
  columns.least = std::max(columns.audio, columns.text) + 1;
  columns.most = static_cast<int>(cells.size());
  return header;
}

bool has_control_character(std::string_view cell) {
  return std::ranges::any_of(cell, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

Message columns_detail(std::string_view line, std::size_t found, const ManifestColumns& want) {
  const MessageArg wanted = want.least == want.most
                                ? MessageArg(want.least)
                                : msg::seen_range{.least = want.least, .most = want.most};
  const bool other_separator = found == 1 && line.find_first_of(",;\t") != std::string_view::npos;
  return other_separator ? Message(msg::seen_columns_separated{.found = found, .wanted = wanted})
                         : msg::seen_columns{.found = found, .wanted = wanted};
}

}  // namespace

ManifestParser::ManifestParser(std::string_view bytes, TextUse text)
    : rest_(bytes), text_use_(text) {
  if (rest_.starts_with(kByteOrderMark)) {
    rest_.remove_prefix(kByteOrderMark.size());
  }
  // CR ends lines only where LF never does, so that line numbers are those of an editor.
  if (rest_.find('\n') == std::string_view::npos) {
    line_end_ = '\r';
  }
}

std::optional<ManifestRow> ManifestParser::next() {
  while (const std::optional<std::string_view> line = next_line()) {
    if (line->size() > kMaxLine) {
      report(ProblemKind::text_too_long,
             {},
             msg::seen_long_line{.bytes = plain(static_cast<double>(line->size()), 0),
                                 .limit = plain(static_cast<double>(kMaxLine), 0)});
      continue;
    }
    if (trimmed(*line).empty()) {
      continue;
    }
    if (const std::optional<std::size_t> bad = first_not_text(*line)) {
      const auto byte = static_cast<unsigned char>((*line)[*bad]);
      report(ProblemKind::invalid_utf8,
             {},
             msg::seen_byte{.byte = fmt::format("{:#04x}", byte),
                            .place = plain(static_cast<double>(*bad + 1), 0)});
      continue;
    }
    split(*line);
    if (std::exchange(may_be_header_, false)) {
      if (take_header()) {
        continue;
      }
      const char* const end = rest_.data() + rest_.size();
      take_form({line->data(), static_cast<std::size_t>(end - line->data())});
    }
    if (std::optional<ManifestRow> row = parse_row(*line)) {
      return row;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> ManifestParser::next_line() {
  if (rest_.empty()) {
    return std::nullopt;
  }
  ++line_;
  const std::size_t end = std::min(rest_.find(line_end_), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return line;
}

bool ManifestParser::take_header() {
  const std::optional<Header> header = to_header(cells_);
  if (!header) {
    return false;
  }
  columns_ = header->columns;
  for (const std::string& name : header->unused) {
    report(ProblemKind::unused_column, {}, msg::seen_column{.name = name});
  }
  return true;
}

void ManifestParser::take_form(std::string_view rows) {
  form_ = manifest_form(rows, line_end_);
  columns_ = columns_of(form_);
  if (form_ != ManifestForm::texts && form_ != ManifestForm::cannot_tell) {
    report(ProblemKind::column_order, {}, msg::seen_column_order{.columns = name_of(form_)});
  }
}

void ManifestParser::split(std::string_view line) {
  cells_.clear();
  while (true) {
    const std::size_t end = line.find('|');
    cells_.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) {
      return;
    }
    line.remove_prefix(end + 1);
  }
}

std::string_view ManifestParser::cell(int column) const {
  const bool there = column >= 0 && static_cast<std::size_t>(column) < cells_.size();
  return there ? cells_[static_cast<std::size_t>(column)] : std::string_view{};
}

std::optional<ManifestRow> ManifestParser::parse_row(std::string_view line) {
  const int found = static_cast<int>(std::min<std::size_t>(cells_.size(), 1'000'000));
  const std::string_view audio = cell(columns_.audio);
  if (found < columns_.least || found > columns_.most) {
    report(ProblemKind::wrong_columns, audio, columns_detail(line, cells_.size(), columns_));
    return std::nullopt;
  }
  if (audio.empty() || has_control_character(audio)) {
    report(ProblemKind::bad_id,
           {},
           audio.empty() ? Message(msg::seen_empty_id{}) : msg::seen_control_character{});
    return std::nullopt;
  }
  const std::string_view normalised = cell(columns_.normalised);
  const std::string_view text = normalised.empty() ? cell(columns_.text) : normalised;
  if (text.empty() && text_use_ == TextUse::tokens) {
    report(ProblemKind::empty_text, audio, msg::seen_empty_text{});
    return std::nullopt;
  }
  return ManifestRow{.line = line_,
                     .audio = audio,
                     .text = text,
                     .speaker = cell(columns_.speaker),
                     .language = cell(columns_.language)};
}

void ManifestParser::report(ProblemKind kind, std::string_view id, Message detail) {
  problems_.push_back(
      {.kind = kind, .line = line_, .id = std::string(id), .detail = std::move(detail)});
}

std::optional<Message> foreign_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return msg::set_utf16{};
  }
  const std::string_view start = bytes.substr(0, 4096);
  const auto zeros = static_cast<std::size_t>(std::ranges::count(start, '\0'));
  if (zeros * kMaxZeroShare > start.size()) {
    return msg::set_zero_bytes{};
  }
  return std::nullopt;
}

}  // namespace qanat
