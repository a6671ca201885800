// "Did you mean": the name a person most likely wanted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qanat {

// Edits (insert, delete, replace, swap neighbours) from one to the other. Ignores case; '-' and '_'
// are the same.
int edit_distance(std::string_view one, std::string_view other);

// Nothing when no name is close enough.
std::optional<std::string> nearest(std::string_view given, std::span<const std::string> names);

}  // namespace qanat
