#include "text/latin_letters.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "text/unicode_data.h"

namespace qanat {
namespace {

struct Plain {
  char32_t code_point;
  std::string_view letters;
};

// Those that Unicode does not decompose.
constexpr std::array kPlain = {
    Plain{U'Æ', "Ae"}, Plain{U'Ð', "D"},  Plain{U'Ø', "O"}, Plain{U'Þ', "Th"}, Plain{U'ß', "ss"},
    Plain{U'æ', "ae"}, Plain{U'ð', "d"},  Plain{U'ø', "o"}, Plain{U'þ', "th"}, Plain{U'Đ', "D"},
    Plain{U'đ', "d"},  Plain{U'Ħ', "H"},  Plain{U'ħ', "h"}, Plain{U'ı', "i"},  Plain{U'Ĳ', "Ij"},
    Plain{U'ĸ', "k"},  Plain{U'Ł', "L"},  Plain{U'ł', "l"}, Plain{U'Ŋ', "Ng"}, Plain{U'ŋ', "ng"},
    Plain{U'Œ', "Oe"}, Plain{U'œ', "oe"}, Plain{U'Ŧ', "T"}, Plain{U'ŧ', "t"},  Plain{U'Ə', "E"},
    Plain{U'Ǥ', "G"},  Plain{U'ǥ', "g"},  Plain{U'Ǿ', "O"}, Plain{U'ǿ', "o"},  Plain{U'ə', "e"},
    Plain{U'ẞ', "Ss"},
};

// Latin-1 Supplement, Extended-A and -B with the schwa, Extended Additional, ligatures.
bool may_be_latin(char32_t code_point) {
  return (code_point >= 0xC0 && code_point <= U'ə') ||
         (code_point >= 0x1E00 && code_point < 0x1F00) ||
         (code_point >= 0xFB00 && code_point <= 0xFB06);
}

}  // namespace

std::string latin_base_letters(char32_t code_point) {
  if (code_point < 0x80) {
    return std::string(is_ascii_letter(static_cast<char>(code_point)) ? 1 : 0,
                       static_cast<char>(code_point));
  }
  if (!may_be_latin(code_point)) {
    return {};
  }
  const auto* plain = std::ranges::find(kPlain, code_point, &Plain::code_point);
  if (plain != kPlain.end()) {
    return std::string(plain->letters);
  }
  std::string letters;
  for (const char32_t part : decompose(code_point)) {
    if (part < 0x80 && is_ascii_letter(static_cast<char>(part))) {
      letters += static_cast<char>(part);
    }
  }
  return letters;
}

}  // namespace qanat
