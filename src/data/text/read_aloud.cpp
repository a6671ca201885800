#include "text/read_aloud.h"

#include "text/any_language.h"

namespace qanat {

Result<std::string> read_aloud(std::string_view utf8,
                               const LanguageTag& language,
                               const NormaliseOptions& options) {
  if (const std::optional<Language> own = language.reader()) {
    return normalise_text(utf8, *own, options);
  }
  return normalise_any(utf8, language);
}

}  // namespace qanat
