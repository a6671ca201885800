#include "speech/choose_language.h"

#include <algorithm>

#include "dataset/language_scripts.h"
#include "dataset/script.h"
#include "text/any_language.h"

namespace qanat {

std::optional<LanguageTag> choose_language(std::string_view utf8,
                                           const std::vector<LanguageTag>& trained) {
  const bool own_only =
      std::ranges::all_of(trained, [](const LanguageTag& one) { return one.reader().has_value(); });
  const TextScript script = script_of(utf8);
  if (own_only) {
    const std::optional<LanguageTag>& written = script.language;
    return written && written->reader() ? *written : LanguageTag(Language::en);
  }
  if (trained.size() == 1) {
    return trained.front();
  }
  if (!has_any_letter(utf8)) {
    return std::nullopt;
  }
  std::optional<LanguageTag> only;
  for (const LanguageTag& language : trained) {
    if (may_be_written_in(language, script.name)) {
      if (only) {
        return std::nullopt;
      }
      only = language;
    }
  }
  return only;
}

}  // namespace qanat
