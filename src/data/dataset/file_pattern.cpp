#include "dataset/file_pattern.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <glob.h>

namespace qanat {
namespace {

constexpr std::size_t kMaxNames = 1'000'000;

std::optional<std::int64_t> whole_number(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

// `000..099`; nothing: it is not one.
std::optional<std::vector<std::string>> expand_range(std::string_view inner) {
  const std::size_t dots = inner.find("..");
  if (dots == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> first = whole_number(inner.substr(0, dots));
  const std::optional<std::int64_t> last = whole_number(inner.substr(dots + 2));
  if (!first || !last) {
    return std::nullopt;
  }
  std::vector<std::string> numbers;
  if (*last - *first >= static_cast<std::int64_t>(kMaxNames)) {
    return numbers;
  }
  for (std::int64_t number = *first; number <= *last; ++number) {
    numbers.push_back(fmt::format("{:0{}}", number, dots));
  }
  return numbers;
}

std::vector<std::string> alternatives(std::string_view inner) {
  if (std::optional<std::vector<std::string>> range = expand_range(inner)) {
    return *std::move(range);
  }
  std::vector<std::string> all;
  while (true) {
    const std::size_t comma = inner.find(',');
    all.emplace_back(inner.substr(0, comma));
    if (comma == std::string_view::npos) {
      return all;
    }
    inner.remove_prefix(comma + 1);
  }
}

struct FreeGlob {
  void operator()(glob_t* found) const { globfree(found); }
};

}  // namespace

std::vector<std::string> expand_braces(std::string_view pattern) {
  std::vector<std::string> names = {std::string()};
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = open == std::string_view::npos ? open : pattern.find('}', open);
    const bool has_braces = close != std::string_view::npos;
    const std::string_view before = has_braces ? pattern.substr(0, open) : pattern;
    const std::vector<std::string> inner =
        has_braces ? alternatives(pattern.substr(open + 1, close - open - 1))
                   : std::vector<std::string>{std::string()};
    pattern.remove_prefix(has_braces ? close + 1 : pattern.size());
    if (names.size() * inner.size() > kMaxNames) {
      return {};
    }
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& part : inner) {
        longer.push_back(fmt::format("{}{}{}", name, before, part));
      }
    }
    names = std::move(longer);
  }
  return names;
}

std::vector<std::filesystem::path> files_of_pattern(const std::string& pattern) {
  if (pattern.find_first_of("*?[{") == std::string::npos) {
    return {};
  }
  std::vector<std::filesystem::path> files;
  for (const std::string& name : expand_braces(pattern)) {
    glob_t found{};
    const int status = ::glob(name.c_str(), 0, nullptr, &found);
    const std::unique_ptr<glob_t, FreeGlob> freed(&found);
    for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i) {
      std::error_code ignored;
      if (std::filesystem::is_regular_file(found.gl_pathv[i], ignored)) {
        files.emplace_back(found.gl_pathv[i]);
      }
    }
  }
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace qanat
