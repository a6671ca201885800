#include "dataset/language_scripts.h"

#include <algorithm>
#include <array>

namespace qanat {
namespace {

using std::string_view;

struct ScriptUse {
  string_view script;     // TextScript::name
  string_view codes;      // its own in tags, with spaces between
  string_view languages;  // those that are written in it, with spaces between
};

// The languages that espeak-ng reads and those that corpora of speech are of. One that is written
// in two scripts stands in both rows.
constexpr auto kScriptUses = std::to_array<ScriptUse>({
    {"Latin",
     "Latn",
     "af an az bs ca cs cy da de ee en eo es et eu fi fr ga gd gl gn ha haw hr hsb ht hu ia id ig io"
     " is it jbo jv kl ku la lb lfn lg ln lt ltg lv mg mi mn ms mt nb nci nl nn no oc om pap pl pt qu"
     " quc rn ro rw se sk sl smj sn so sq sr su sv sw tk tl tn tr ts tt ug uz vec vi wo xh yo zu"},
    {"Arabic", "Arab Aran", "ar arz az bal ckb fa kk ks ku ms pa ps sd ug ur"},
    {"Chinese", "Hani Hans Hant Jpan", "cmn gan hak ja lzh nan wuu yue zh"},
    {"Japanese", "Jpan Hira Kana Hrkt", "ja"},
    {"Cyrillic",
     "Cyrl",
     "ab av az ba be bg bs ce cv kbd kk ky mhr mk mn myv nog os ru sah sr tg tk tt udm ug uk uz"},
    {"Devanagari", "Deva", "awa bho brx doi hi kok ks mai mr ne sa sd"},
    {"Bengali", "Beng", "as bn bpy"},
    {"Hebrew", "Hebr", "he yi"},
    {"Greek", "Grek", "el grc"},
    {"Armenian", "Armn", "hy hyw"},
    {"Georgian", "Geor", "ka xmf"},
    {"Hangul", "Hang Kore", "ko"},
    {"Thai", "Thai", "th"},
    {"Lao", "Laoo", "lo"},
    {"Khmer", "Khmr", "km"},
    {"Burmese", "Mymr", "my shn"},
    {"Tamil", "Taml", "ta"},
    {"Telugu", "Telu", "te"},
    {"Kannada", "Knda", "kn tcy"},
    {"Malayalam", "Mlym", "ml"},
    {"Sinhala", "Sinh", "si"},
    {"Gujarati", "Gujr", "gu"},
    {"Gurmukhi", "Guru", "pa"},
    {"Odia", "Orya", "or"},
    {"Ethiopic", "Ethi", "am ti tig"},
    {"Tibetan", "Tibt", "bo dz"},
    {"Cherokee", "Cher", "chr"},
    {"Thaana", "Thaa", "dv"},
    {"Mongolian", "Mong", "mn mnc"},
    {"Syriac", "Syrc", "aii arc syr"},
});

bool has_word(string_view words, string_view word) {
  for (std::size_t at = words.find(word); at != string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) {
      return true;
    }
  }
  return false;
}

// The part of the tag that names a script; empty: none.
string_view script_code(string_view tag) {
  constexpr std::size_t kLength = 4;
  for (std::size_t begin = tag.find('-'); begin != string_view::npos;
       begin = tag.find('-', begin)) {
    ++begin;
    const string_view part = tag.substr(begin, tag.find('-', begin) - begin);
    if (part.size() == kLength && part[0] >= 'A' && part[0] <= 'Z') {
      return part;
    }
  }
  return {};
}

}  // namespace

bool may_be_written_in(const LanguageTag& language, string_view script) {
  const string_view code = script_code(language.text());
  const bool is_known = std::ranges::any_of(kScriptUses, [&](const ScriptUse& use) {
    return code.empty() ? has_word(use.languages, language.primary()) : has_word(use.codes, code);
  });
  const auto* const use = std::ranges::find(kScriptUses, script, &ScriptUse::script);
  if (!is_known || use == kScriptUses.end()) {
    return true;
  }
  return code.empty() ? has_word(use->languages, language.primary()) : has_word(use->codes, code);
}

}  // namespace qanat
