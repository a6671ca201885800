#include "text/fold.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/presentation_forms.h"

namespace qanat {
namespace {

struct Replacement {
  char32_t code_point;
  std::u32string_view text;
};

// Sorted by code point. An empty text drops the character. Fractions become what the number
// readers know: "2½" is "2 1/2".
constexpr std::array kReplacements = {
    Replacement{U'\t', U" "},
    Replacement{U'\n', U" "},
    Replacement{U'\v', U" "},
    Replacement{U'\f', U" "},
    Replacement{U'\r', U" "},
    Replacement{U'[', U"("},
    Replacement{U']', U")"},
    Replacement{U'`', U"'"},
    Replacement{U'\u007F', U""},
    Replacement{U'\u0085', U" "},
    Replacement{U'\u00A0', U" "},
    Replacement{U'´', U"'"},
    Replacement{U'·', U"-"},
    Replacement{U'¼', U" 1/4"},
    Replacement{U'½', U" 1/2"},
    Replacement{U'¾', U" 3/4"},
    Replacement{U'ʻ', U"'"},
    Replacement{U'ʼ', U"'"},
    Replacement{U'،', U","},
    Replacement{U'؛', U";"},
    Replacement{U'\u061C', U""},
    Replacement{U'؟', U"?"},
    Replacement{U'\u0625', U"ا"},
    Replacement{U'\u0629', U"ه"},
    Replacement{U'\u0640', U""},
    Replacement{U'\u0643', U"ک"},
    Replacement{U'\u0649', U"ی"},
    Replacement{U'\u064A', U"ی"},
    Replacement{U'\u0655', U""},
    Replacement{U'٪', U"%"},
    Replacement{U'٫', U"."},
    Replacement{U'٬', U","},
    Replacement{U'\u066D', U"*"},
    Replacement{U'\u0671', U"ا"},
    Replacement{U'\u0672', U"ا"},
    Replacement{U'\u0673', U"ا"},
    Replacement{U'\u06AA', U"ک"},
    Replacement{U'\u06BE', U"ه"},
    Replacement{U'\u06C0', U"ه\u0654"},
    Replacement{U'\u06C1', U"ه"},
    Replacement{U'\u06C2', U"ه\u0654"},
    Replacement{U'\u06C3', U"ه"},
    Replacement{U'\u06CD', U"ی"},
    Replacement{U'\u06D0', U"ی"},
    Replacement{U'\u06D2', U"ی"},
    Replacement{U'\u06D3', U"ئ"},
    Replacement{U'\u06D4', U"."},
    Replacement{U'\u06D5', U"ه"},
    Replacement{U'\u1680', U" "},
    Replacement{U'\u2000', U" "},
    Replacement{U'\u2001', U" "},
    Replacement{U'\u2002', U" "},
    Replacement{U'\u2003', U" "},
    Replacement{U'\u2004', U" "},
    Replacement{U'\u2005', U" "},
    Replacement{U'\u2006', U" "},
    Replacement{U'\u2007', U" "},
    Replacement{U'\u2008', U" "},
    Replacement{U'\u2009', U" "},
    Replacement{U'\u200A', U" "},
    Replacement{U'\u200B', U""},
    Replacement{U'\u200D', U""},
    Replacement{U'\u200E', U""},
    Replacement{U'\u200F', U""},
    Replacement{U'‐', U"-"},
    Replacement{U'‑', U"-"},
    Replacement{U'‒', U"–"},
    Replacement{U'―', U"—"},
    Replacement{U'‘', U"'"},
    Replacement{U'’', U"'"},
    Replacement{U'‚', U"'"},
    Replacement{U'‛', U"'"},
    Replacement{U'•', U" "},
    Replacement{U'\u2028', U" "},
    Replacement{U'\u2029', U" "},
    Replacement{U'\u202A', U""},
    Replacement{U'\u202B', U""},
    Replacement{U'\u202C', U""},
    Replacement{U'\u202D', U""},
    Replacement{U'\u202E', U""},
    Replacement{U'\u202F', U" "},
    Replacement{U'′', U"'"},
    Replacement{U'″', U"\""},
    Replacement{U'⁄', U"/"},
    Replacement{U'\u205F', U" "},
    Replacement{U'\u2060', U""},
    Replacement{U'\u2066', U""},
    Replacement{U'\u2067', U""},
    Replacement{U'\u2068', U""},
    Replacement{U'\u2069', U""},
    Replacement{U'℃', U"°C"},
    Replacement{U'℉', U"°F"},
    Replacement{U'⅓', U" 1/3"},
    Replacement{U'⅔', U" 2/3"},
    Replacement{U'⅕', U" 1/5"},
    Replacement{U'⅖', U" 2/5"},
    Replacement{U'⅗', U" 3/5"},
    Replacement{U'⅘', U" 4/5"},
    Replacement{U'⅙', U" 1/6"},
    Replacement{U'⅚', U" 5/6"},
    Replacement{U'⅛', U" 1/8"},
    Replacement{U'⅜', U" 3/8"},
    Replacement{U'⅝', U" 5/8"},
    Replacement{U'⅞', U" 7/8"},
    Replacement{U'−', U"-"},
    Replacement{U'\u3000', U" "},
    Replacement{U'\uFEFF', U""},
};
static_assert(std::ranges::is_sorted(kReplacements, {}, &Replacement::code_point));

std::optional<std::u32string_view> find_replacement(char32_t code_point) {
  const auto* found =
      std::ranges::lower_bound(kReplacements, code_point, {}, &Replacement::code_point);
  if (found == kReplacements.end() || found->code_point != code_point) {
    return std::nullopt;
  }
  return found->text;
}

// Where the two languages write the same thing differently.
std::optional<std::u32string_view> find_by_language(char32_t code_point, Language language) {
  const bool persian = language == Language::fa;
  switch (code_point) {
    case U'²':
      return persian ? U" مربع" : U" squared";
    case U'³':
      return persian ? U" مکعب" : U" cubed";
    case U'“':
    case U'„':
    case U'‟':
    case U'«':
    case U'‹':
      return persian ? U"«" : U"\"";
    case U'”':
    case U'»':
    case U'›':
      return persian ? U"»" : U"\"";
    default:
      return std::nullopt;
  }
}

constexpr char32_t kTeMarbuta = 0x0629;
constexpr char32_t kShadda = 0x0651;
constexpr char32_t kMaddahAbove = 0x0653;
constexpr char32_t kHamzaAbove = 0x0654;

// Marks written behind their letter make one letter with it.
std::optional<char32_t> compose(char32_t letter, char32_t mark) {
  if (mark == kMaddahAbove && letter == U'ا') {
    return U'آ';
  }
  if (mark == kHamzaAbove) {
    switch (letter) {
      case U'ا':
        return U'أ';
      case U'و':
        return U'ؤ';
      case U'ی':
        return U'ئ';
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

bool is_short_vowel(char32_t code_point) {
  return code_point >= 0x064B && code_point <= 0x0650;
}

bool is_dropped(char32_t code_point) {
  const bool control = code_point < 0x20 || (code_point >= 0x80 && code_point < 0xA0);
  const bool combining_accent = code_point >= 0x0300 && code_point <= 0x036F;
  const bool variation_selector = code_point >= 0xFE00 && code_point <= 0xFE0F;
  return control || combining_accent || variation_selector;
}

bool is_plain_ascii(char32_t code_point) {
  return code_point < 0x80 && (is_ascii_letter(static_cast<char>(code_point)) ||
                               is_ascii_digit(static_cast<char>(code_point)) || code_point == U' ');
}

bool is_invisible(char32_t code_point) {
  if (is_plain_ascii(code_point) || is_plain_persian_letter(code_point)) {
    return false;
  }
  const auto replaced = find_replacement(code_point);
  return replaced ? replaced->empty() : is_dropped(code_point);
}

// ZWNJ joins letters and digits, one of them Persian; beside anything else it says nothing.
bool joins_by_zwnj(char32_t left, char32_t right) {
  const auto latin = [](char32_t c) { return is_latin_letter(c); };
  const auto persian = [](char32_t c) { return is_arabic_letter(c) || digit_value(c); };
  return (persian(left) && (persian(right) || latin(right))) || (latin(left) && persian(right));
}

constexpr char32_t kKashida = 0x0640;

// Kashida at `at` is typed for the dash between two numbers, spaces allowed.
bool is_dash_between_numbers(std::u32string_view text, std::size_t at) {
  constexpr std::size_t kReach = 8;
  const auto fills = [](char32_t c) { return c == U' ' || c == kKashida; };
  std::size_t left = at;
  while (left > 0 && at - left < kReach && fills(text[left - 1])) {
    --left;
  }
  std::size_t right = at;
  while (right < text.size() && right - at < kReach && fills(text[right])) {
    ++right;
  }
  return left > 0 && digit_value(text[left - 1]) && right < text.size() && digit_value(text[right]);
}

std::u32string without_stray_zwnj(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside = !out.empty() && i + 1 < text.size();
    if (text[i] != kZwnj || (inside && joins_by_zwnj(out.back(), text[i + 1]))) {
      out += text[i];
    }
  }
  return out;
}

void append_ascii(std::u32string& out, std::string_view text) {
  out.append(text.begin(), text.end());
}

void fold_one(std::u32string& out, char32_t code_point, Language language) {
  if (is_plain_ascii(code_point) || is_plain_persian_letter(code_point)) {
    out += code_point;  // by far the most frequent case
  } else if (const auto composed = out.empty() ? std::nullopt : compose(out.back(), code_point)) {
    out.back() = *composed;
  } else if (is_short_vowel(code_point) && out.ends_with(kShadda)) {
    out.back() = code_point;  // one order for both marks, that of NFC
    out += kShadda;
  } else if (const auto by_language = find_by_language(code_point, language)) {
    out += *by_language;
  } else if (const auto replaced = find_replacement(code_point)) {
    out += *replaced;
  } else if (const auto digit = digit_value(code_point)) {
    out += U'0' + static_cast<char32_t>(*digit);
  } else if (const std::string_view latin = latin_base_letters(code_point); !latin.empty()) {
    append_ascii(out, latin);
  } else if (const std::string_view form = presentation_form_letters(code_point); !form.empty()) {
    out += decode_utf8(form);
  } else if (code_point > 0xFF00 && code_point <= 0xFF5E) {
    fold_one(out, code_point - 0xFF00 + 0x20, language);  // full-width ASCII
  } else if (!is_dropped(code_point) && code_point != kMaddahAbove) {
    out += code_point;
  }
}

}  // namespace

std::u32string drop_invisible(std::u32string_view text, Language language) {
  std::u32string visible;
  visible.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char32_t code_point = text[at];
    const bool hyphen = code_point == 0x00AC || code_point == 0x00AD;
    const bool first_kashida = code_point == kKashida && (at == 0 || text[at - 1] != kKashida);
    if (first_kashida && is_dash_between_numbers(text, at)) {
      visible += U'–';
    } else if (hyphen && language == Language::fa) {
      visible += kZwnj;
    } else if (code_point != 0x00AD && !is_invisible(code_point)) {
      visible += code_point;
    }
  }
  return without_stray_zwnj(visible);
}

std::string fold_characters(std::u32string_view text, Language language) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == kTeMarbuta && text.substr(at + 1).starts_with(U"ال")) {
      out += U"ت\u200C";  // دایرةالمعارف: it is heard
    } else {
      fold_one(out, text[at], language);
    }
  }
  return encode_utf8(out);
}

}  // namespace qanat
