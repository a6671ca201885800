#include "dataset/manifest_form.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace qanat {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";

std::string_view without_ends(std::string_view cell) {
  const std::size_t begin = cell.find_first_not_of(kSpace);
  return begin == std::string_view::npos
             ? std::string_view()
             : cell.substr(begin, cell.find_last_not_of(kSpace) - begin + 1);
}

// What is before the next `mark`, which is taken away with it.
std::string_view take_until(std::string_view& rest, char mark) {
  const std::size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

// Letters and digits of a word, small. Bytes beyond ASCII are letters.
std::string plain_word(std::string_view word) {
  std::string plain;
  for (const unsigned char c : word) {
    if (c >= 0x80 || std::isalnum(c) != 0) {
      plain.push_back(static_cast<char>(std::tolower(c)));
    }
  }
  return plain;
}

std::unordered_set<std::string> plain_words(std::string_view text) {
  std::unordered_set<std::string> words;
  while (!text.empty()) {
    std::string word = plain_word(take_until(text, ' '));
    if (!word.empty()) {
      words.insert(std::move(word));
    }
  }
  return words;
}

bool share_a_word(std::string_view one, std::string_view other) {
  const std::unordered_set<std::string> words = plain_words(other);
  const std::unordered_set<std::string> wanted = plain_words(one);
  return std::ranges::any_of(wanted, [&](const auto& word) { return words.contains(word); });
}

}  // namespace

ManifestForm three_column_form(std::string_view rows, char line_end) {
  constexpr int kEnough = 1000;
  std::unordered_map<std::string_view, std::string_view> seen;  // the third cell by the second
  int count = 0;
  int shared = 0;
  bool comes_again = false;
  bool has_blank = false;
  while (!rows.empty() && count < kEnough) {
    std::string_view row = take_until(rows, line_end);
    const auto marks = std::ranges::count(row, '|');
    if (marks > 2) {
      return ManifestForm::texts;
    }
    take_until(row, '|');
    const std::string_view second = without_ends(take_until(row, '|'));
    const std::string_view third = without_ends(row);
    if (marks < 2 || second.empty() || third.empty()) {
      continue;
    }
    const auto [before, is_first] = seen.emplace(second, third);
    comes_again = comes_again || (!is_first && before->second != third);
    has_blank = has_blank || second.find(' ') != std::string_view::npos;
    shared += share_a_word(second, third) ? 1 : 0;
    ++count;
  }
  if (2 * shared > count || count < 2) {
    return ManifestForm::texts;
  }
  if (comes_again) {
    return ManifestForm::speakers;
  }
  return shared > 0 || has_blank ? ManifestForm::texts : ManifestForm::cannot_tell;
}

}  // namespace qanat
