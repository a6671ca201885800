// Lists of words that are known when compiling, written as one text.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace qanat {

// The words of `text`, one space between them. Another number of words than said does not compile.
template <std::size_t kWords>
consteval std::array<std::string_view, kWords> word_list(std::string_view text) {
  std::array<std::string_view, kWords> words;
  for (std::string_view& word : words) {
    word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size() == text.size() ? word.size() : word.size() + 1);
    if (word.empty()) {
      throw "fewer words than said, or two spaces";
    }
  }
  if (!text.empty()) {
    throw "more words than said";
  }
  return words;
}

}  // namespace qanat
