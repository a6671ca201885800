#include "text/fold.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/unicode_data.h"

namespace qanat {
namespace {

struct Replacement {
  std::u32string_view characters;  // any of them
  std::u32string_view text;        // empty: they are dropped
};

constexpr auto kReplacements = std::to_array<Replacement>({
    {U"\t\n\v\f\r\u0085•\u20E3\u2028\u2029", U" "},
    {U"[\uFD3E", U"("},
    {U"]\uFD3F", U")"},
    {U"`´ʻʼ‘’‚‛′", U"'"},
    {U"\u007F\u061C\u0640\u0655\u200B\u200D\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2060\u2066\u2067\u2068\u2069\uFEFF",
     U""},
    {U"·‐‑−", U"-"},
    {U"،٬", U","},
    {U"؛", U";"},
    {U"؟", U"?"},
    {U"\u0625\u0671\u0672\u0673", U"ا"},
    {U"\u0629\u06BE\u06C1\u06C3\u06D5", U"ه"},
    {U"\u0643\u06AA", U"ک"},
    {U"\u0649\u064A\u06CD\u06D0\u06D2", U"ی"},
    {U"٪", U"%"},
    {U"٫\u06D4", U"."},
    {U"\u066D", U"*"},
    {U"\u06C0\u06C2", U"ه\u0654"},
    {U"\u06D3", U"ئ"},
    {U"‒", U"–"},
    {U"―", U"—"},
    {U"″", U"\""},
    {U"⁄", U"/"},
    {U"\uFDFD", U" بسم الله الرحمن الرحیم "},
    {U"℃", U"°C"},
    {U"℉", U"°F"},
});

struct ReplacedCharacter {
  char32_t code_point = 0;
  std::u32string_view text;
};

// Sorted by code point.
constexpr auto kReplaced = [] {
  constexpr std::size_t kCharacters = [] {
    std::size_t count = 0;
    for (const Replacement& one : kReplacements) {
      count += one.characters.size();
    }
    return count;
  }();
  std::array<ReplacedCharacter, kCharacters> replaced;
  std::size_t at = 0;
  for (const Replacement& one : kReplacements) {
    for (const char32_t code_point : one.characters) {
      replaced[at++] = {.code_point = code_point, .text = one.text};
    }
  }
  std::ranges::sort(replaced, {}, &ReplacedCharacter::code_point);
  return replaced;
}();

std::optional<std::u32string_view> find_replacement(char32_t code_point) {
  const auto* found =
      std::ranges::lower_bound(kReplaced, code_point, {}, &ReplacedCharacter::code_point);
  if (found == kReplaced.end() || found->code_point != code_point) {
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

// Whole sayings in one character: ﷺ and ﷻ.
bool is_saying(char32_t code_point) {
  return code_point == 0xFDFA || code_point == 0xFDFB;
}

bool is_fraction(char32_t code_point) {
  return (code_point >= U'¼' && code_point <= U'¾') || (code_point >= U'⅐' && code_point <= U'⅞');
}

// Shapes of letters, which old programs stored instead of them, and ASCII of full width.
bool is_shape(char32_t code_point) {
  return (code_point >= 0xFB50 && code_point <= 0xFDFF) ||
         (code_point >= 0xFE70 && code_point <= 0xFEFC) ||
         (code_point > 0xFF00 && code_point <= 0xFF5E);
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
  const bool tag = code_point >= 0xE0000 && code_point <= 0xE007F;  // of flags
  return control || combining_accent || variation_selector || tag;
}

// What folding leaves as it is and needs no rule: by far the most characters of a text.
bool is_plain(char32_t code_point) {
  const bool ascii = code_point >= 0x20 && code_point < 0x7F;
  return ascii ? code_point != U'[' && code_point != U']' && code_point != U'`'
               : is_plain_persian_letter(code_point);
}

bool is_invisible(char32_t code_point) {
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

// Takes visible characters one by one; a ZWNJ waits until what follows it is known.
class VisibleWriter {
 public:
  // At most `size` characters are put.
  explicit VisibleWriter(std::size_t size) : out_(size, U'\0') {}

  void put(char32_t code_point) {
    if (code_point == kZwnj) {
      joint_ = size_ > 0;
      return;
    }
    if (std::exchange(joint_, false) && joins_by_zwnj(out_[size_ - 1], code_point)) {
      out_[size_++] = kZwnj;
    }
    out_[size_++] = code_point;
  }

  std::u32string take() {
    out_.resize(size_);
    return std::move(out_);
  }

 private:
  std::u32string out_;
  std::size_t size_ = 0;  // so far
  bool joint_ = false;
};

// Writes folded characters as UTF-8 and changes the last one when a mark comes behind it.
class FoldWriter {
 public:
  FoldWriter(std::size_t size, Language language) : language_(language) {
    out_.reserve(size * (language == Language::fa ? 2 : 1) + 16);
  }

  void put(char32_t code_point) {
    if (is_plain(code_point)) {
      append(code_point);
    } else if (const auto composed = compose(last_, code_point)) {
      replace_last(*composed);
    } else if (is_short_vowel(code_point) && last_ == kShadda) {
      replace_last(code_point);  // one order for both marks, that of NFC
      append(kShadda);
    } else {
      put_other(code_point);
    }
  }

  void put(std::u32string_view text) {
    for (const char32_t code_point : text) {
      append(code_point);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void append(char32_t code_point) {
    if (code_point < 0x80) {
      out_ += static_cast<char>(code_point);
    } else {
      append_utf8(out_, code_point);
    }
    last_ = code_point;
  }

  // Letters and marks of the Arabic script take two bytes, before and afterwards.
  void replace_last(char32_t code_point) {
    out_.resize(out_.size() - 2);
    append(code_point);
  }

  void put_other(char32_t code_point) {
    if (const auto by_language = find_by_language(code_point, language_)) {
      put(*by_language);
    } else if (const auto replaced = find_replacement(code_point)) {
      put(*replaced);
    } else if (const auto digit = digit_value(code_point)) {
      append(U'0' + static_cast<char32_t>(*digit));
    } else if (const std::string latin = latin_base_letters(code_point); !latin.empty()) {
      out_ += latin;
      last_ = 0;
    } else if (is_fraction(code_point) || is_shape(code_point)) {
      put_decomposed(code_point);
    } else if (is_space(code_point)) {
      append(U' ');
    } else if (!is_dropped(code_point) && code_point != kMaddahAbove) {
      append(code_point);
    }
  }

  // A fraction becomes what the number readers know: "2½" is "2 1/2". The space that carries a
  // mark alone is not read.
  void put_decomposed(char32_t code_point) {
    const std::u32string parts = decompose(code_point);
    if (is_fraction(code_point) || is_saying(code_point)) {
      append(U' ');
    }
    const bool carried = parts.size() > 1 && parts[0] == U' ';
    for (const char32_t part : parts.substr(carried ? 1 : 0)) {
      part == code_point ? append(part) : put(part);
    }
    if (is_saying(code_point)) {
      append(U' ');
    }
  }

  std::string out_;
  char32_t last_ = 0;
  Language language_;
};

}  // namespace

std::u32string drop_invisible(std::u32string_view text, Language language) {
  VisibleWriter visible(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char32_t code_point = text[at];
    if (is_plain(code_point)) {
      visible.put(code_point);
      continue;
    }
    // A soft hyphen, or a space without width: typed for the joint that Persian writes.
    const bool joint = code_point == 0x00AC || code_point == 0x00AD || code_point == 0x200B;
    const bool first_kashida = code_point == kKashida && (at == 0 || text[at - 1] != kKashida);
    if (first_kashida && is_dash_between_numbers(text, at)) {
      visible.put(U'–');
    } else if (joint && language == Language::fa) {
      visible.put(kZwnj);
    } else if (code_point != 0x00AD && !is_invisible(code_point)) {
      visible.put(code_point);
    }
  }
  return visible.take();
}

std::string fold_characters(std::u32string_view text, Language language) {
  FoldWriter folded(text.size(), language);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == kTeMarbuta && text.substr(at + 1).starts_with(U"ال")) {
      folded.put(U"ت\u200C");  // دایرةالمعارف: it is heard
    } else {
      folded.put(text[at]);
    }
  }
  return folded.take();
}

}  // namespace qanat
