#include "evaluate/word_errors.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/utf8.h"
#include "text/any_language.h"
#include "text/normalise.h"
#include "text/unicode_data.h"

namespace qanat {
namespace {

bool is_letter_or_digit(char32_t c) {
  return c >= 0x80
             ? (c != U'«' && c != U'»' && c != U'—' && c != U'…' && c != U'،' && c != U'؛' &&
                c != U'؟' && c != kReplacementCharacter && kind_of(c) != CharacterKind::sign)
             : ((c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9'));
}

}  // namespace

std::vector<std::string> spoken_words(std::string_view text, const LanguageTag& language) {
  const std::optional<Language> reader = language.reader();
  if (!reader) {
    return split_words(text, language);
  }
  std::vector<std::string> words;
  std::string word;
  const std::u32string letters = decode_utf8(normalise_text(text, *reader));
  for (std::size_t i = 0; i <= letters.size(); ++i) {
    if (i < letters.size() && is_letter_or_digit(letters[i])) {
      append_utf8(word, letters[i]);
    } else if (i < letters.size() && letters[i] == U'\'' && !word.empty()) {
      // "don't" is one word; a closing quote is dropped below.
      word += '\'';
    } else if (!word.empty()) {
      while (!word.empty() && word.back() == '\'') {
        word.pop_back();
      }
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

WordErrors count_word_errors(const std::vector<std::string>& expected,
                             const std::vector<std::string>& heard) {
  // Edits that make the words before each place equal; one row of the table at a time.
  std::vector<std::size_t> row(heard.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < heard.size(); ++j) {
      const std::size_t replaced = diagonal + (expected[i] == heard[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return {.errors = row.back(), .words = expected.size()};
}

}  // namespace qanat
