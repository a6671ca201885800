#include "dataset/script.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "base/utf8.h"

namespace qanat {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Controls, blanks, joiners, direction marks, combining marks, private use.
constexpr auto kInvisible = std::to_array<CodeRange>({{0x00, 0x20},
                                                      {0x7F, 0xA0},
                                                      {0xAD, 0xAD},
                                                      {0x0300, 0x036F},
                                                      {0x0610, 0x061C},
                                                      {0x064B, 0x065F},
                                                      {0x0670, 0x0670},
                                                      {0x06D6, 0x06ED},
                                                      {0x2000, 0x200F},
                                                      {0x2028, 0x202F},
                                                      {0x205F, 0x206F},
                                                      {0x20D0, 0x20FF},
                                                      {0x3000, 0x3000},
                                                      {0xE000, 0xF8FF},
                                                      {0xFE00, 0xFE0F},
                                                      {0xFEFF, 0xFEFF},
                                                      {0xFFF0, 0xFFFB},
                                                      {0xE0000, 0x10FFFF}});

bool is_visible(char32_t code) {
  return std::ranges::none_of(kInvisible, [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

bool is_latin_letter(char32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
}

// Letters of U+0620..06FF without the digits (punctuation lies below), and the presentation forms.
bool is_arabic_letter(char32_t code) {
  const bool digit = (code >= 0x660 && code <= 0x66C) || (code >= 0x6F0 && code <= 0x6F9);
  return (code >= 0x620 && code <= 0x6FF && !digit) || (code >= 0xFB50 && code <= 0xFDFF) ||
         (code >= 0xFE70 && code <= 0xFEFC);
}

}  // namespace

std::string describe_character(std::string_view utf8) {
  if (utf8.empty()) {
    return "nothing";
  }
  std::size_t end = 0;
  const char32_t code = next_code_point(utf8, end);
  if (!is_visible(code)) {
    return fmt::format("U+{:04X}", static_cast<unsigned>(code));
  }
  return fmt::format("{} U+{:04X}", utf8.substr(0, end), static_cast<unsigned>(code));
}

Language language_by_script(std::string_view utf8) {
  // Most rows of most sets are ASCII: no letter to count.
  if (skip_ascii(utf8, 0) == utf8.size()) {
    return Language::en;
  }
  std::size_t latin = 0;
  std::size_t arabic = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t code = next_code_point(utf8, at);
    latin += is_latin_letter(code) ? 1 : 0;
    arabic += is_arabic_letter(code) ? 1 : 0;
  }
  return arabic > latin ? Language::fa : Language::en;
}

}  // namespace qanat
