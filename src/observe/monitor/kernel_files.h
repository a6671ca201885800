// Small files of /proc and /sys. Absent, unreadable and malformed are the same to us: unknown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace qanat {

// At most 1 MiB. Not base/files.h: the kernel reports size 0 for these. Fails with the path and
// the reason.
Result<std::string> read_kernel_text(const std::filesystem::path& path);
// The same for those whom the reason does not interest.
std::optional<std::string> read_kernel_file(const std::filesystem::path& path);

// Why a file that was read says nothing.
std::string malformed(const std::filesystem::path& path);

std::optional<std::int64_t> to_integer(std::string_view text);  // surrounding blanks allowed
std::optional<std::int64_t> read_integer(const std::filesystem::path& path);

// How many numbers "0-3,8,10-11" names: 7.
std::optional<int> count_list(std::string_view text);

// Whether "0-3,8" and "3,9" name a number in common.
bool lists_meet(std::string_view first, std::string_view second);

// The rest of the first line of `text` that starts with `key`, blanks trimmed.
std::optional<std::string_view> value_after(std::string_view text, std::string_view key);

std::string_view trimmed(std::string_view text);
// The parts between blanks.
std::vector<std::string_view> words(std::string_view text);
std::vector<std::string_view> lines(std::string_view text);

}  // namespace qanat
