#include "text/place.h"

#include <algorithm>

#include "text/characters.h"

namespace qanat {
namespace {

constexpr std::size_t kFarthestWord = 32;  // bytes looked back
constexpr std::size_t kLongestWord = 24;
constexpr std::string_view kEnDash = "–";

}  // namespace

std::string_view leading_letters(std::string_view text) {
  const auto* end = std::ranges::find_if_not(text, is_ascii_letter);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view word_before(std::string_view before) {
  before = before.substr(before.size() - std::min(before.size(), kFarthestWord));
  while (before.ends_with(' ')) {
    before.remove_suffix(1);
  }
  if (before.ends_with('.')) {
    before.remove_suffix(1);
  }
  std::size_t begin = before.size();
  while (begin > 0 && is_ascii_letter(before[begin - 1])) {
    --begin;
  }
  const std::string_view word = before.substr(begin);
  return word.size() > kLongestWord ? std::string_view{} : word;
}

std::string_view skip_spaces(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

bool ends_in_digit(std::string_view text) {
  return !text.empty() && is_ascii_digit(text.back());
}

bool ends_in_letter(std::string_view text) {
  return !text.empty() && is_ascii_letter(text.back());
}

bool starts_with_digit(std::string_view text) {
  return !text.empty() && is_ascii_digit(text.front());
}

bool starts_with_letter(std::string_view text) {
  return !text.empty() && is_ascii_letter(text.front());
}

std::size_t leading_dash(std::string_view text) {
  return text.starts_with('-') ? 1 : text.starts_with(kEnDash) ? kEnDash.size() : 0;
}

std::size_t trailing_dash(std::string_view before) {
  return before.ends_with('-') ? 1 : before.ends_with(kEnDash) ? kEnDash.size() : 0;
}

bool ends_at_boundary(std::string_view before) {
  return before.empty() || before.back() == ' ' || before.back() == '(';
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), to_ascii_lower);
  return lower;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {}, to_ascii_lower);
}

}  // namespace qanat
