#include "voice_server/sentence_buffer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"

namespace qanat {
namespace {

constexpr std::u32string_view kEnds = U".!?؟…۔。！？";
constexpr std::u32string_view kClosers = U"\"'”’»)]}›";
constexpr std::u32string_view kBlanks = U" \t\r\u00A0";
// Words that a full stop shortens and does not end. Letters by themselves are found without a list.
constexpr auto kShortened = std::to_array<std::u32string_view>(
    {U"mr",   U"mrs",  U"ms",  U"dr",  U"prof", U"st",  U"sr",  U"jr",   U"vs",  U"etc",
     U"no",   U"vol",  U"fig", U"al",  U"inc",  U"ltd", U"co",  U"corp", U"gen", U"col",
     U"sgt",  U"capt", U"lt",  U"rev", U"hon",  U"pp",  U"eds", U"cf",   U"ca",  U"approx",
     U"dept", U"est",  U"jan", U"feb", U"mar",  U"apr", U"jun", U"jul",  U"aug", U"sep",
     U"sept", U"oct",  U"nov", U"dec", U"mt",   U"ave", U"blvd"});

bool is_in(char32_t mark, std::u32string_view marks) {
  return marks.find(mark) != std::u32string_view::npos;
}

bool is_word(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') ||
         (c > 0x7F && !is_in(c, kEnds) && !is_in(c, kClosers) && !is_in(c, kBlanks) &&
          !is_in(c, U"“‘«،؛—–"));
}

char32_t lowered(char32_t c) {
  return c >= U'A' && c <= U'Z' ? c + 32 : c;
}

// Whether the word before the full stop at `stop` is one that is written with it: "Dr", "J", "e.g".
bool is_shortened(std::u32string_view text, std::size_t stop) {
  std::size_t begin = stop;
  while (begin > 0 && is_word(text[begin - 1])) {
    --begin;
  }
  std::u32string word(text.substr(begin, stop - begin));
  std::ranges::transform(word, word.begin(), lowered);
  // "I" is a word of its own.
  return (word.size() == 1 && text[begin] != U'I') ||
         std::ranges::find(kShortened, word) != kShortened.end();
}

std::u32string_view without_blanks(std::u32string_view text) {
  while (!text.empty() && (is_in(text.front(), kBlanks) || text.front() == U'\n')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (is_in(text.back(), kBlanks) || text.back() == U'\n')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::optional<std::size_t> sentence_end(std::u32string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == U'\n') {
      return i + 1;
    }
    if (!is_in(text[i], kEnds)) {
      continue;
    }
    std::size_t behind = i + 1;
    bool only_stop = text[i] == U'.';
    while (behind < text.size() && (is_in(text[behind], kEnds) || is_in(text[behind], kClosers))) {
      only_stop = false;
      ++behind;
    }
    std::size_t next = behind;
    while (next < text.size() && is_in(text[next], kBlanks)) {
      ++next;
    }
    if (next == text.size()) {
      return std::nullopt;  // what follows is not known yet
    }
    const bool is_spaced = next > behind || text[next] == U'\n';
    const bool goes_on = text[next] >= U'a' && text[next] <= U'z';
    if (is_spaced && !(only_stop && (goes_on || is_shortened(text, i)))) {
      return behind;
    }
    i = behind - 1;
  }
  return std::nullopt;
}

std::vector<std::string> SentenceBuffer::add(std::string_view utf8) {
  text_ += decode_utf8(utf8);
  std::vector<std::string> sentences;
  while (const std::optional<std::size_t> end = sentence_end(text_)) {
    const std::u32string_view sentence = without_blanks(std::u32string_view(text_).substr(0, *end));
    if (!sentence.empty()) {
      sentences.push_back(encode_utf8(sentence));
    }
    text_.erase(0, *end);
  }
  return sentences;
}

std::optional<std::string> SentenceBuffer::finish() {
  const std::u32string rest = std::exchange(text_, {});
  const std::u32string_view sentence = without_blanks(rest);
  return sentence.empty() ? std::nullopt : std::optional(encode_utf8(sentence));
}

}  // namespace qanat
