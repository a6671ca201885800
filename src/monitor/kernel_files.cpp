#include "monitor/kernel_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

namespace qanat {

std::optional<std::string> read_kernel_file(const std::filesystem::path& path) {
  constexpr std::size_t kLimit = std::size_t{1} << 20;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return std::nullopt;
  }
  std::string text;
  std::array<char, 4096> chunk{};
  while (text.size() < kLimit && (file.read(chunk.data(), chunk.size()) || file.gcount() > 0)) {
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  return file.bad() ? std::nullopt : std::optional(text);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  const std::string_view digits = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> read_integer(const std::filesystem::path& path) {
  const std::optional<std::string> text = read_kernel_file(path);
  return text ? to_integer(*text) : std::nullopt;
}

std::optional<int> count_list(std::string_view text) {
  constexpr std::int64_t kMost = 1 << 20;  // more than any kernel counts
  std::string_view rest = trimmed(text);
  std::int64_t count = 0;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t dash = part.find('-');
    const auto first = to_integer(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMost) {
      return std::nullopt;
    }
    count += *last - *first + 1;
  }
  return count > 0 && count < kMost ? std::optional(static_cast<int>(count)) : std::nullopt;
}

std::optional<std::string_view> value_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(key)) {
      return trimmed(line.substr(key.size()));
    }
  }
  return std::nullopt;
}

}  // namespace qanat
