#include "text/persian_espeak.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/utf8.h"
#include "text/word_index.h"

namespace qanat {
namespace {

using std::string_view;

struct Respelled {
  string_view word;
  string_view spelled;
};

constexpr std::array kRespelled = {
#include "text/persian_espeak_rows.inc"
};
constexpr WordIndex kRespelledIndex(kRespelled, &Respelled::word);

// میلی‌متر, میلی‌آمپر and the like.
constexpr Respelled kMilli{"میلی‌", "می‌لی‌"};

void append_respelled(std::string& out, string_view word) {
  if (const std::size_t row = kRespelledIndex.find(word); row < kRespelled.size()) {
    out += kRespelled[row].spelled;
  } else if (word.starts_with(kMilli.word)) {
    out += kMilli.spelled;
    out += word.substr(kMilli.word.size());
  } else {
    out += word;
  }
}

// Puts each shadda in front of its vowel. Both take two bytes.
void swap_shadda(std::string& text) {
  constexpr char32_t kMark = 0x0651;
  std::size_t before = text.size();
  char32_t previous = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code_point = next_code_point(text, at);
    if (code_point == kMark && previous >= 0x064B && previous <= 0x0650) {
      std::swap_ranges(text.begin() + static_cast<std::ptrdiff_t>(before),
                       text.begin() + static_cast<std::ptrdiff_t>(begin),
                       text.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    before = begin;
    previous = code_point;
  }
}

}  // namespace

std::string espeak_spelling(string_view words) {
  std::string out;
  out.reserve(words.size() + words.size() / 4);
  while (!words.empty()) {
    const string_view word = words.substr(0, words.find(' '));
    append_respelled(out, word);
    out += word.size() < words.size() ? " " : "";
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  swap_shadda(out);
  return out;
}

}  // namespace qanat
