// Small files of /proc and /sys. Absent, unreadable and malformed are the same to us: unknown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace qanat {

// At most 1 MiB. Not base/files.h: the kernel reports size 0 for these.
std::optional<std::string> read_kernel_file(const std::filesystem::path& path);

std::optional<std::int64_t> to_integer(std::string_view text);  // surrounding blanks allowed
std::optional<std::int64_t> read_integer(const std::filesystem::path& path);

// How many numbers "0-3,8,10-11" names: 7.
std::optional<int> count_list(std::string_view text);

// The rest of the first line of `text` that starts with `key`, blanks trimmed.
std::optional<std::string_view> value_after(std::string_view text, std::string_view key);

std::string_view trimmed(std::string_view text);

}  // namespace qanat
