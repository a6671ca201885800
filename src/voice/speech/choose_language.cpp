#include "speech/choose_language.h"

#include <algorithm>
#include <array>

#include "dataset/script.h"

namespace qanat {
namespace {

// Languages in Arabic letters besides Persian.
bool is_in_arabic_letters(const LanguageTag& language) {
  constexpr std::array<std::string_view, 8> kOthers = {
      "ar", "ur", "ps", "ku", "ckb", "ug", "sd", "arz"};
  return std::ranges::find(kOthers, language.primary()) != kOthers.end();
}

}  // namespace

std::optional<LanguageTag> choose_language(std::string_view utf8,
                                           const std::vector<LanguageTag>& trained) {
  const bool own_only =
      std::ranges::all_of(trained, [](const LanguageTag& one) { return one.reader().has_value(); });
  const std::optional<LanguageTag> written = script_of(utf8).language;
  if (own_only) {
    return written && written->reader() ? *written : LanguageTag(Language::en);
  }
  if (trained.size() == 1) {
    return trained.front();
  }
  const bool is_known = written && std::ranges::find(trained, *written) != trained.end();
  if (!is_known || *written == Language::en) {
    return std::nullopt;  // Latin letters decide nothing between several languages
  }
  if (*written == Language::fa && std::ranges::any_of(trained, is_in_arabic_letters)) {
    return std::nullopt;
  }
  return written;
}

}  // namespace qanat
