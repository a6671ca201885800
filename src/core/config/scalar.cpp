#include "config/scalar.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace qanat {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(
      text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

template <typename T>
std::optional<T> read_all(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<bool> parse_bool(const Scalar& scalar) {
  const std::string word = lower(scalar.text);
  if (!scalar.quoted && (word == "true" || word == "yes" || word == "on")) {
    return true;
  }
  if (!scalar.quoted && (word == "false" || word == "no" || word == "off")) {
    return false;
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(const Scalar& scalar) {
  constexpr double kExact = 9007199254740992.0;  // above, a double skips whole numbers
  if (scalar.quoted) {
    return std::nullopt;
  }
  if (const auto whole = read_all<std::int64_t>(scalar.text)) {
    return *whole;
  }
  const auto number = read_all<double>(scalar.text);
  if (!number || !std::isfinite(*number) || std::abs(*number) > kExact ||
      *number != std::trunc(*number)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

std::optional<double> parse_number(const Scalar& scalar) {
  const auto number = scalar.quoted ? std::nullopt : read_all<double>(scalar.text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::string> parse_string(const Scalar& scalar) {
  const bool usable = !scalar.text.empty() && !first_invalid_utf8(scalar.text) &&
                      scalar.text.find('\0') == std::string::npos;
  return usable ? std::optional(scalar.text) : std::nullopt;
}

bool is_unset(const Scalar& scalar) {
  constexpr std::array<std::string_view, 5> kWords = {"", "auto", "none", "null", "~"};
  return !scalar.quoted && std::ranges::find(kWords, lower(scalar.text)) != kWords.end();
}

}  // namespace qanat
