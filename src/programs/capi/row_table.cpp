#include "capi/row_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/loader_rows.h"

namespace qanat {
namespace {

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

SplitHint part_of(const qanat_row& row, std::size_t position) {
  switch (row.part) {
    case 0:
      return SplitHint::none;
    case 1:
      return SplitHint::train;
    case 2:
      return SplitHint::validation;
    default:
      throw MessageError(msg::row_bad_part{.row = ungrouped(position), .part = row.part});
  }
}

GivenRow copy_row(const qanat_row& row, std::size_t position) {
  const bool is_file = row.bytes == nullptr;
  if (is_file && (row.path == nullptr || *row.path == '\0')) {
    throw MessageError(msg::row_without_audio{.row = ungrouped(position)});
  }
  std::string audio = row.path == nullptr ? fmt::format("row {}", position) : row.path;
  std::string id = text_or_empty(row.id);
  if (id.empty()) {
    id = row.path == nullptr ? std::to_string(position) : audio;
  }
  return {.id = std::move(id),
          .audio = std::move(audio),
          .is_file = is_file,
          .text = text_or_empty(row.text),
          .speaker = text_or_empty(row.speaker),
          .language = text_or_empty(row.language),
          .split = part_of(row, position)};
}

TokenIds copy_tokens(const qanat_row& row, std::size_t position) {
  if (row.tokens == nullptr) {
    throw MessageError(msg::row_without_tokens{.row = ungrouped(position)});
  }
  const std::span<const std::int32_t> tokens(row.tokens, row.num_tokens);
  const auto wrong = std::ranges::find_if(tokens, [](std::int32_t token) { return token < 0; });
  if (wrong != tokens.end()) {
    throw MessageError(msg::row_bad_token{.row = ungrouped(position), .token = *wrong});
  }
  return {tokens.begin(), tokens.end()};
}

}  // namespace

RowTable copy_rows(std::span<const qanat_row> rows) {
  RowTable table;
  const bool has_tokens =
      std::ranges::any_of(rows, [](const qanat_row& row) { return row.tokens != nullptr; });
  const bool has_weights =
      std::ranges::any_of(rows, [](const qanat_row& row) { return row.weight != 1; });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const qanat_row& row = rows[i];
    table.rows.push_back(copy_row(row, i));
    table.clips.emplace_back(static_cast<const std::byte*>(row.bytes),
                             row.bytes == nullptr ? 0 : row.num_bytes);
    if (has_tokens) {
      table.tokens.push_back(copy_tokens(row, i));
    }
    if (!std::isfinite(row.weight) || row.weight < 0) {
      throw MessageError(msg::row_bad_weight{.row = ungrouped(i), .weight = plain(row.weight, 3)});
    }
    if (has_weights) {
      table.weights.push_back(row.weight);
    }
  }
  return table;
}

}  // namespace qanat
