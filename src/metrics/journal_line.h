// One line of a journal, from text. Pure.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace qanat {

// Longer lines are not ours: damaged.
inline constexpr std::size_t kMaxJournalLine = 4 << 20;

// Nothing when the line is damaged. Fails when it says that the journal at `path` is of a format
// that this version cannot read.
Result<std::optional<nlohmann::json>> to_journal_line(const std::filesystem::path& path,
                                                      std::string_view line);

// Whether the journal at `path` goes on from the file journal_before() names.
bool is_continued(const std::filesystem::path& path);
// A header that goes on with a session in another file: no new one begins.
bool continues_another(const nlohmann::json& line);

}  // namespace qanat
