#include "speech/sentence_pieces.h"

#include <algorithm>

#include "base/utf8.h"

namespace qanat {
namespace {

constexpr std::u32string_view kSentenceEnds = U".!?؟…।۔。！？";
constexpr char32_t kFirstWide = 0x3000;  // marks of scripts without spaces
// Close what a sentence stands in: the space that ends it comes behind them.
constexpr std::u32string_view kClosers = U"\"'”’»)]›";
constexpr std::u32string_view kPauses = U",;:،؛—";

bool is_one_of(char32_t mark, std::u32string_view marks) {
  return marks.find(mark) != std::u32string_view::npos;
}

std::u32string_view trimmed(std::u32string_view text) {
  const std::size_t first = text.find_first_not_of(U' ');
  if (first == std::u32string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(U' ') - first + 1);
}

// Where the sentence `text` begins with ends: behind its marks and closing quotes, before a space.
std::size_t sentence_length(std::u32string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (!is_one_of(text[i], kSentenceEnds)) {
      continue;
    }
    std::size_t behind = i + 1;
    while (behind < text.size() && is_one_of(text[behind], kClosers)) {
      ++behind;
    }
    if (text[i] >= kFirstWide || (behind < text.size() && text[behind] == U' ')) {
      return behind;
    }
  }
  return text.size();
}

// The best cut within the first `longest` characters of a sentence that is longer.
std::size_t breath_length(std::u32string_view sentence, std::size_t longest) {
  std::size_t space = 0;
  std::size_t pause = 0;
  for (std::size_t i = 1; i <= longest; ++i) {
    if (sentence[i] == U' ') {
      space = i;
      pause = is_one_of(sentence[i - 1], kPauses) ? i : pause;
    }
  }
  if (pause > 0) {
    return pause;
  }
  return space > 0 ? space : longest;
}

}  // namespace

std::vector<std::string> sentence_pieces(std::string_view normalised, std::size_t longest) {
  const std::u32string text = decode_utf8(normalised);
  std::u32string_view rest = trimmed(text);
  std::vector<std::string> pieces;
  while (!rest.empty()) {
    std::size_t length = sentence_length(rest);
    if (length > longest) {
      length = breath_length(rest.substr(0, length), longest);
    }
    pieces.push_back(encode_utf8(trimmed(rest.substr(0, length))));
    rest = trimmed(rest.substr(length));
  }
  return pieces;
}

}  // namespace qanat
