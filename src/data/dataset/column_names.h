// Which column of a table is what, by its name: those that data sets use, or those that the user
// named with `data.columns`. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace qanat {

enum class ColumnRole : std::uint8_t {
  audio,
  text,
  normalised,  // preferred to the text
  speaker,
  language,
  duration,  // in seconds
  unused,
};

inline constexpr std::size_t kNumColumnRoles = static_cast<std::size_t>(ColumnRole::unused);

// By name alone; case, blanks and hyphens do not matter.
ColumnRole role_of(std::string_view name);
// "audio"
std::string_view to_string(ColumnRole role);

// What `data.columns` says; an empty name leaves a role to be guessed.
struct ColumnChoice {
  std::array<std::string, kNumColumnRoles> names;

  const std::string& name(ColumnRole role) const { return names[static_cast<std::size_t>(role)]; }
  bool operator==(const ColumnChoice&) const = default;
};

// `text=sentence,speaker=client_id`
Result<ColumnChoice> parse_column_choice(std::string_view text);

// Where each role stands among the names of a table.
struct TableColumns {
  std::array<std::optional<std::size_t>, kNumColumnRoles> at;
  std::vector<std::string> unused;  // names that mean nothing here, or a second time

  std::optional<std::size_t> of(ColumnRole role) const {
    return at[static_cast<std::size_t>(role)];
  }
};

// A column that the choice names is that role, and no other is. A path is preferred to an id. Of
// one text column it does not matter what it is called. Failure: the choice names no column.
Result<TableColumns> find_columns(std::span<const std::string> names, const ColumnChoice& choice);

}  // namespace qanat
