#include "dataset/script.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

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

struct Script {
  std::string_view name;
  std::string_view language;  // empty: several are written in it
  std::string_view example;   // empty: the language
};

// Scripts of one language, and those that many data sets are in. Nothing is decided by others.
constexpr auto kScripts = std::to_array<Script>({
    {"Latin", "en", "de"},  {"Arabic", "fa", "ar"},  {"Chinese", "", "zh"},
    {"Japanese", "ja", ""}, {"Cyrillic", "", "ru"},  {"Devanagari", "", "hi"},
    {"Bengali", "", "bn"},  {"Hebrew", "he", ""},    {"Greek", "el", ""},
    {"Armenian", "hy", ""}, {"Georgian", "ka", ""},  {"Hangul", "ko", ""},
    {"Thai", "th", ""},     {"Lao", "lo", ""},       {"Khmer", "km", ""},
    {"Burmese", "my", ""},  {"Tamil", "ta", ""},     {"Telugu", "te", ""},
    {"Kannada", "kn", ""},  {"Malayalam", "ml", ""}, {"Sinhala", "si", ""},
    {"Gujarati", "gu", ""}, {"Gurmukhi", "pa", ""},  {"Odia", "or", ""},
    {"Ethiopic", "", "am"}, {"Tibetan", "", "bo"},   {"Cherokee", "chr", ""},
    {"Thaana", "dv", ""},   {"Mongolian", "", "mn"}, {"Syriac", "", "syr"},
});
constexpr std::size_t kLatin = 0;
constexpr std::size_t kArabic = 1;
constexpr std::size_t kHan = 2;
constexpr std::size_t kKana = 3;

struct ScriptRange {
  char32_t first;
  char32_t last;
  std::size_t script;
};

// Blocks of letters, by code point. Latin and Arabic letters are looked up by themselves.
constexpr auto kScriptRanges = std::to_array<ScriptRange>({
    {0x0370, 0x03FF, 8},  {0x0400, 0x052F, 4},  {0x0531, 0x058A, 9},  {0x05D0, 0x05F2, 7},
    {0x0700, 0x074F, 29}, {0x0780, 0x07BF, 27}, {0x0900, 0x0963, 5},  {0x0980, 0x09E3, 6},
    {0x0A00, 0x0A65, 22}, {0x0A80, 0x0AE5, 21}, {0x0B00, 0x0B65, 23}, {0x0B80, 0x0BE5, 16},
    {0x0C00, 0x0C65, 17}, {0x0C80, 0x0CE5, 18}, {0x0D00, 0x0D65, 19}, {0x0D80, 0x0DDF, 20},
    {0x0E01, 0x0E4E, 12}, {0x0E80, 0x0ECD, 13}, {0x0F00, 0x0FFF, 25}, {0x1000, 0x103F, 15},
    {0x10A0, 0x10FF, 10}, {0x1100, 0x11FF, 11}, {0x1200, 0x139F, 24}, {0x13A0, 0x13FF, 26},
    {0x1780, 0x17D3, 14}, {0x1800, 0x18AF, 28}, {0x1C80, 0x1C8F, 4},  {0x1C90, 0x1CBF, 10},
    {0x1F00, 0x1FFF, 8},  {0x2DE0, 0x2DFF, 4},  {0x3041, 0x30FF, 3},  {0x3130, 0x318F, 11},
    {0x31F0, 0x31FF, 3},  {0x3400, 0x4DBF, 2},  {0x4E00, 0x9FFF, 2},  {0xA640, 0xA69F, 4},
    {0xAB70, 0xABBF, 26}, {0xAC00, 0xD7AF, 11}, {0xF900, 0xFAFF, 2},  {0x20000, 0x3134F, 2},
});

// The Latin blocks beyond ASCII, without the signs among them.
bool is_accented_latin(char32_t code) {
  return (code >= 0xC0 && code <= 0x024F && code != 0xD7 && code != 0xF7) ||
         (code >= 0x1E00 && code <= 0x1EFF);
}

// Letters of the Arabic script that Persian does not write, however it is typed: of Arabic, Urdu,
// Pashto, Kurdish, Sindhi, Uighur.
constexpr std::u32string_view kNotPersian =
    U"\u0625\u0629\u0671\u0679\u067A\u067B\u067C\u067D\u067F\u0680\u0681\u0683\u0684\u0685"
    U"\u0687\u0688\u0689\u068A\u068C\u068D\u068F\u0691\u0693\u0695\u0696\u0699\u069A\u06A4"
    U"\u06A6\u06AB\u06AD\u06B1\u06B3\u06B5\u06BA\u06BB\u06BC\u06BE\u06C6\u06C7\u06C8\u06CB"
    U"\u06CE\u06D0\u06D2\u06D5";

std::optional<std::size_t> script_index(char32_t code) {
  if (is_latin_letter(code)) {
    return kLatin;
  }
  if (code < kScriptRanges.front().first) {
    return std::nullopt;
  }
  if (is_arabic_letter(code)) {
    return kArabic;
  }
  const auto* const found = std::ranges::lower_bound(kScriptRanges, code, {}, &ScriptRange::last);
  return found != kScriptRanges.end() && code >= found->first ? std::optional(found->script)
                                                              : std::nullopt;
}

TextScript to_script(std::size_t index) {
  const Script& script = kScripts[index];
  return {.name = script.name,
          .language = to_language_tag(script.language),
          .example = script.example.empty() ? script.language : script.example};
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

TextScript script_of(std::string_view utf8) {
  // Most rows of most sets are ASCII: no letter to count.
  if (skip_ascii(utf8, 0) == utf8.size()) {
    return to_script(kLatin);
  }
  std::array<std::size_t, kScripts.size()> letters{};
  for (std::size_t at = 0; at < utf8.size();) {
    if (const std::optional<std::size_t> script = script_index(next_code_point(utf8, at))) {
      ++letters[*script];
    }
  }
  // A Japanese text is mostly Chinese letters; one kana is enough.
  if (letters[kKana] > 0 && letters[kKana] + letters[kHan] > letters[kLatin]) {
    return to_script(kKana);
  }
  const auto* const most = std::ranges::max_element(letters);  // the first of equals
  return to_script(static_cast<std::size_t>(most - letters.begin()));
}

std::u32string foreign_letters(std::string_view utf8, Language language) {
  std::u32string foreign;
  for (std::size_t at = skip_ascii(utf8, 0); at < utf8.size();) {
    const char32_t code = next_code_point(utf8, at);
    const bool found = language == Language::en ? is_accented_latin(code)
                                                : kNotPersian.find(code) != kNotPersian.npos;
    if (found && foreign.find(code) == std::u32string::npos) {
      foreign += code;
    }
  }
  return foreign;
}

}  // namespace qanat
