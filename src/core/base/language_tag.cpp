#include "base/language_tag.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/content_hash.h"

namespace qanat {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

struct ShortCode {
  std::string_view three;
  std::string_view two;
};

// Speech data are often labelled with these languages by three letters; both codes where ISO
// 639-2 has two.
constexpr auto kShortCodes = std::to_array<ShortCode>({
    {"afr", "af"}, {"amh", "am"}, {"ara", "ar"}, {"asm", "as"}, {"aze", "az"}, {"bel", "be"},
    {"ben", "bn"}, {"bos", "bs"}, {"bul", "bg"}, {"cat", "ca"}, {"ces", "cs"}, {"cym", "cy"},
    {"cze", "cs"}, {"dan", "da"}, {"deu", "de"}, {"dut", "nl"}, {"ell", "el"}, {"eng", "en"},
    {"epo", "eo"}, {"est", "et"}, {"eus", "eu"}, {"fas", "fa"}, {"fin", "fi"}, {"fra", "fr"},
    {"fre", "fr"}, {"ger", "de"}, {"gle", "ga"}, {"glg", "gl"}, {"gre", "el"}, {"guj", "gu"},
    {"hau", "ha"}, {"heb", "he"}, {"hin", "hi"}, {"hrv", "hr"}, {"hun", "hu"}, {"hye", "hy"},
    {"ind", "id"}, {"isl", "is"}, {"ita", "it"}, {"jpn", "ja"}, {"kan", "kn"}, {"kat", "ka"},
    {"kaz", "kk"}, {"khm", "km"}, {"kor", "ko"}, {"kur", "ku"}, {"lao", "lo"}, {"lat", "la"},
    {"lav", "lv"}, {"lit", "lt"}, {"ltz", "lb"}, {"mal", "ml"}, {"mar", "mr"}, {"mkd", "mk"},
    {"mlt", "mt"}, {"mon", "mn"}, {"msa", "ms"}, {"mya", "my"}, {"nep", "ne"}, {"nld", "nl"},
    {"nno", "nn"}, {"nob", "nb"}, {"nor", "no"}, {"ori", "or"}, {"pan", "pa"}, {"per", "fa"},
    {"pol", "pl"}, {"por", "pt"}, {"pus", "ps"}, {"ron", "ro"}, {"rum", "ro"}, {"rus", "ru"},
    {"sin", "si"}, {"slk", "sk"}, {"slv", "sl"}, {"som", "so"}, {"spa", "es"}, {"sqi", "sq"},
    {"srp", "sr"}, {"swa", "sw"}, {"swe", "sv"}, {"tam", "ta"}, {"tat", "tt"}, {"tel", "te"},
    {"tgk", "tg"}, {"tha", "th"}, {"tuk", "tk"}, {"tur", "tr"}, {"uig", "ug"}, {"ukr", "uk"},
    {"urd", "ur"}, {"uzb", "uz"}, {"vie", "vi"}, {"yor", "yo"}, {"zho", "zh"}, {"zul", "zu"},
});

std::string with_short_code(std::string code) {
  const auto* found = std::ranges::find(kShortCodes, code, &ShortCode::three);
  return found == kShortCodes.end() ? code : std::string(found->two);
}

std::vector<std::string> subtags_of(std::string_view tag) {
  std::vector<std::string> parts(1);
  for (const char c : tag) {
    if (c == '-' || c == '_') {
      parts.emplace_back();
    } else {
      parts.back() += lower(c);
    }
  }
  return parts;
}

bool are_letters(std::string_view text) {
  return std::ranges::all_of(text, is_letter);
}

// As a tag writes it. Nothing that stands behind a single letter has a case of its own.
std::string cased(std::string part, bool is_private) {
  if (is_private) {
    return part;
  }
  if (part.size() == 2 && are_letters(part)) {
    std::ranges::transform(part, part.begin(), upper);
  } else if (part.size() == 4 && are_letters(part)) {
    part[0] = upper(part[0]);
  }
  return part;
}

bool is_subtag(std::string_view part) {
  return !part.empty() && part.size() <= 8 &&
         std::ranges::all_of(part, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

std::optional<LanguageTag> to_language_tag(std::string_view name) {
  if (name.empty() || name.size() > kLongestLanguageTag) {
    return std::nullopt;
  }
  std::vector<std::string> parts = subtags_of(name);
  if (parts.size() == 1 && parts[0] == "english") {
    return Language::en;
  }
  if (parts.size() == 1 && (parts[0] == "persian" || parts[0] == "farsi")) {
    return Language::fa;
  }
  const std::string code = with_short_code(std::move(parts[0]));
  if (code.size() < 2 || code.size() > 3 || !are_letters(code)) {
    return std::nullopt;
  }
  if (!std::ranges::all_of(parts.begin() + 1, parts.end(), is_subtag) ||
      (parts.size() > 1 && parts.back().size() == 1)) {
    return std::nullopt;
  }
  if (const std::optional<Language> own = to_language(code)) {
    return *own;
  }
  std::string tag = code;
  bool is_private = false;
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    is_private = is_private || part->size() == 1;
    tag += '-' + cased(std::move(*part), is_private);
  }
  return LanguageTag(std::move(tag));
}

std::uint64_t language_number(const LanguageTag& language) {
  const std::optional<Language> own = language.reader();
  return own ? static_cast<std::uint64_t>(*own) : content_hash(language.text());
}

}  // namespace qanat
