#include "monitor/kernel_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"

namespace qanat {

Result<std::string> read_kernel_text(const std::filesystem::path& path) {
  constexpr std::size_t kLimit = std::size_t{1} << 20;
  const auto failed = [&path] {
    return Failure{fmt::format("{}: {}", path.string(), std::strerror(errno))};
  };
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return failed();
  }
  std::string text;
  std::array<char, 4096> chunk{};
  while (text.size() < kLimit) {
    const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
    if (count < 0) {
      return failed();
    }
    if (count == 0) {
      break;
    }
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return text;
}

std::optional<std::string> read_kernel_file(const std::filesystem::path& path) {
  Result<std::string> text = read_kernel_text(path);
  return text ? std::optional(std::move(text).value()) : std::nullopt;
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

namespace {

struct Span {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// The parts of "0-3,8,10-11"; nothing when it is no such list.
std::optional<std::vector<Span>> to_spans(std::string_view text) {
  constexpr std::int64_t kMax = 1 << 20;  // more than any kernel counts
  std::vector<Span> spans;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t dash = part.find('-');
    const auto first = to_integer(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMax) {
      return std::nullopt;
    }
    spans.push_back({.first = *first, .last = *last});
  }
  return spans;
}

}  // namespace

std::optional<int> count_list(std::string_view text) {
  constexpr std::int64_t kMax = 1 << 20;
  std::int64_t count = 0;
  for (const Span& span : to_spans(text).value_or(std::vector<Span>())) {
    count += span.last - span.first + 1;
  }
  return count > 0 && count < kMax ? std::optional(static_cast<int>(count)) : std::nullopt;
}

bool lists_meet(std::string_view first, std::string_view second) {
  const std::vector<Span> others = to_spans(second).value_or(std::vector<Span>());
  for (const Span& span : to_spans(first).value_or(std::vector<Span>())) {
    if (std::ranges::any_of(others, [&span](const Span& other) {
          return span.first <= other.last && other.first <= span.last;
        })) {
      return true;
    }
  }
  return false;
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

std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string_view> parts;
  while (!(text = trimmed(text)).empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    parts.push_back(word);
    text.remove_prefix(word.size());
  }
  return parts;
}

std::vector<std::string_view> lines(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    parts.push_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return parts;
}

std::string malformed(const std::filesystem::path& path) {
  return path.string() + ": not as the kernel writes it";
}

}  // namespace qanat
