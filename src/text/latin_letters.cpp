#include "text/latin_letters.h"

#include <algorithm>
#include <array>

namespace qanat {
namespace {

// One letter for each code point in order; `?`: not one letter (see kSeveral) or not readable.
constexpr char32_t kFirstExtended = 0xC0;
constexpr std::string_view kExtended =
    "AAAAAA?CEEEEIIII?NOOOOO?OUUUUY??aaaaaa?ceeeeiiii?nooooo?ouuuuy?y"
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi??JjKkkLlLlLlL"
    "lLlNnNnNnn??OoOoOo??RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs"
    "????????????????????????????????Oo?????????????Uu???????????????"
    "?????????????AaIiOoUuUuUuUuUu?AaAa??GgGgKkOoOo??j???Gg??NnAa??Oo"
    "AaAaEeEeIiIiOoOoRrRrUuUuSsTt??Hh??????AaEeOoOoOoOoYy????????????"
    "????????????????";
constexpr char32_t kFirstAdditional = 0x1E00;
constexpr std::string_view kAdditional =
    "AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMm"
    "MmMmNnNnNnNnOoOoOoOoPpPpRrRrRrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVv"
    "WwWwWwWwWwXxXxYyZzZzZzhtwyas????AaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEe"
    "EeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUuUuYyYyYyYy??????";
static_assert(kExtended.size() == 0x250 - kFirstExtended);
static_assert(kAdditional.size() == 0x1F00 - kFirstAdditional);

constexpr std::string_view kAscii =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "abcdefghijklmnopqrstuvwxyz";

struct Several {
  char32_t code_point;
  std::string_view letters;
};

constexpr std::array kSeveral = {
    Several{U'Æ', "Ae"},  Several{U'Ð', "D"},  Several{U'Þ', "Th"}, Several{U'ß', "ss"},
    Several{U'æ', "ae"},  Several{U'ð', "d"},  Several{U'þ', "th"}, Several{U'Ĳ', "Ij"},
    Several{U'ĳ', "ij"},  Several{U'Ŋ', "Ng"}, Several{U'ŋ', "ng"}, Several{U'Œ', "Oe"},
    Several{U'œ', "oe"},  Several{U'Ə', "E"},  Several{U'ə', "e"},  Several{U'ẞ', "Ss"},
    Several{U'ﬀ', "ff"},  Several{U'ﬁ', "fi"}, Several{U'ﬂ', "fl"}, Several{U'ﬃ', "ffi"},
    Several{U'ﬄ', "ffl"}, Several{U'ﬅ', "st"}, Several{U'ﬆ', "st"},
};

std::string_view one_of(std::string_view letters, char32_t index) {
  const std::string_view one = letters.substr(index, 1);
  return one == "?" ? std::string_view{} : one;
}

std::string_view several_letters(char32_t code_point) {
  const bool possible = code_point < 0x0300 || code_point == U'ẞ' || code_point >= 0xFB00;
  if (!possible) {
    return {};  // spares Persian text the search
  }
  const auto* found = std::ranges::find(kSeveral, code_point, &Several::code_point);
  return found == kSeveral.end() ? std::string_view{} : found->letters;
}

}  // namespace

std::string_view latin_base_letters(char32_t code_point) {
  if (code_point >= 'A' && code_point <= 'Z') {
    return kAscii.substr(code_point - 'A', 1);
  }
  if (code_point >= 'a' && code_point <= 'z') {
    return kAscii.substr(26 + code_point - 'a', 1);
  }
  std::string_view one;
  if (code_point >= kFirstExtended && code_point < 0x250) {
    one = one_of(kExtended, code_point - kFirstExtended);
  } else if (code_point >= kFirstAdditional && code_point < 0x1F00) {
    one = one_of(kAdditional, code_point - kFirstAdditional);
  }
  return one.empty() ? several_letters(code_point) : one;
}

}  // namespace qanat
