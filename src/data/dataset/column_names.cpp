#include "dataset/column_names.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

struct ColumnName {
  std::string_view name;
  ColumnRole role;
};

constexpr auto kColumnNames = std::to_array<ColumnName>({
    {"id", ColumnRole::audio},
    {"audio", ColumnRole::audio},
    {"audio_file", ColumnRole::audio},
    {"audio_filepath", ColumnRole::audio},
    {"audio_path", ColumnRole::audio},
    {"file", ColumnRole::audio},
    {"file_name", ColumnRole::audio},
    {"file_path", ColumnRole::audio},
    {"filename", ColumnRole::audio},
    {"path", ColumnRole::audio},
    {"wav", ColumnRole::audio},
    {"wav_filename", ColumnRole::audio},
    {"wav_path", ColumnRole::audio},
    {"text", ColumnRole::text},
    {"raw", ColumnRole::text},
    {"raw_text", ColumnRole::text},
    {"sentence", ColumnRole::text},
    {"text_original", ColumnRole::text},
    {"transcript", ColumnRole::text},
    {"normalised", ColumnRole::normalised},
    {"normalized", ColumnRole::normalised},
    {"normalised_text", ColumnRole::normalised},
    {"normalized_text", ColumnRole::normalised},
    {"text_normalized", ColumnRole::normalised},
    {"transcription", ColumnRole::normalised},
    {"normalised_transcription", ColumnRole::normalised},
    {"normalized_transcription", ColumnRole::normalised},
    {"speaker", ColumnRole::speaker},
    {"speaker_id", ColumnRole::speaker},
    {"speaker_name", ColumnRole::speaker},
    {"client_id", ColumnRole::speaker},
    {"lang", ColumnRole::language},
    {"language", ColumnRole::language},
    {"locale", ColumnRole::language},
    {"duration", ColumnRole::duration},
    {"duration_seconds", ColumnRole::duration},
    {"seconds", ColumnRole::duration},
});

constexpr std::array<std::string_view, kNumColumnRoles> kRoleNames = {
    "audio", "text", "normalized", "speaker", "language", "duration"};
// Lengths are those of the audio itself, so a duration is not chosen.
constexpr auto kChosenRoles = std::span(kRoleNames).first(kNumColumnRoles - 1);

std::string_view trimmed_blank(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string plain_name(std::string_view cell) {
  std::string name(cell);
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return c == ' ' || c == '-' ? '_' : static_cast<char>(std::tolower(c));
  });
  return name;
}

std::optional<std::size_t> role_number(std::string_view word) {
  const auto found = std::ranges::find(kChosenRoles, word == "normalised" ? "normalized" : word);
  return found == kChosenRoles.end()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(found - kChosenRoles.begin()));
}

}  // namespace

ColumnRole role_of(std::string_view name) {
  const auto* const found = std::ranges::find(kColumnNames, plain_name(name), &ColumnName::name);
  return found == kColumnNames.end() ? ColumnRole::unused : found->role;
}

std::string_view to_string(ColumnRole role) {
  return role == ColumnRole::unused ? "unused" : kRoleNames.at(static_cast<std::size_t>(role));
}

Result<ColumnChoice> parse_column_choice(std::string_view text) {
  ColumnChoice choice;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = trimmed_blank(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = part.find('=');
    const std::string_view word = trimmed_blank(part.substr(0, equals));
    const std::optional<std::size_t> role = role_number(word);
    const std::string_view name =
        equals == std::string_view::npos ? "" : trimmed_blank(part.substr(equals + 1));
    if (!role || name.empty() || !choice.names.at(*role).empty()) {
      return to_failure(msg::columns_refused{
          .part = part, .roles = fmt::format("{}", fmt::join(kChosenRoles, ", "))});
    }
    choice.names.at(*role) = name;
  }
  return choice;
}

Result<TableColumns> find_columns(std::span<const std::string> names, const ColumnChoice& choice) {
  TableColumns columns;
  for (std::size_t role = 0; role < kNumColumnRoles; ++role) {
    if (choice.names[role].empty()) {
      continue;
    }
    const auto found = std::ranges::find(names, choice.names[role]);
    if (found == names.end()) {
      return to_failure(
          msg::column_not_there{.column = choice.names[role],
                                .role = kRoleNames.at(role),
                                .columns = fmt::format("{}", fmt::join(names, ", "))});
    }
    columns.at[role] = static_cast<std::size_t>(found - names.begin());
  }
  const std::array<std::optional<std::size_t>, kNumColumnRoles> chosen = columns.at;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::find(chosen, i) != chosen.end()) {
      continue;
    }
    const auto role = static_cast<std::size_t>(role_of(names[i]));
    std::optional<std::size_t>* const place = role < kNumColumnRoles ? &columns.at[role] : nullptr;
    const bool is_better =
        place != nullptr && role == 0 && !chosen[0] && *place && plain_name(names[**place]) == "id";
    if (place != nullptr && (!*place || is_better)) {
      if (is_better) {
        columns.unused.push_back(names[**place]);
      }
      *place = i;
    } else {
      columns.unused.push_back(names[i]);
    }
  }
  auto& text = columns.at[static_cast<std::size_t>(ColumnRole::text)];
  auto& normalised = columns.at[static_cast<std::size_t>(ColumnRole::normalised)];
  // A choice of the text is meant: a normalized form beside it is not preferred to it.
  if (text && !choice.name(ColumnRole::text).empty() &&
      choice.name(ColumnRole::normalised).empty() && normalised) {
    columns.unused.push_back(names[*normalised]);
    normalised.reset();
  }
  if (!text) {
    text = std::exchange(normalised, std::nullopt);
  }
  return columns;
}

}  // namespace qanat
