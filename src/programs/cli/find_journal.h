// The journal that a user names, by itself or by its folder.
#pragma once

#include <filesystem>

namespace qanat {

// Throws MessageError when there is none: says what was looked for, and which folders near it hold
// one.
std::filesystem::path find_journal(const std::filesystem::path& given);

}  // namespace qanat
