#include "cli/language_flag.h"

#include "cli/command.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/languages.h"

namespace qanat {

void LanguageFlag::declare(Flags& flags, const Message& help) {
  flags.text("--language", text_, "TAG", help);
}

std::optional<LanguageTag> LanguageFlag::language() const {
  if (text_.empty()) {
    return std::nullopt;
  }
  const std::optional<LanguageTag> language = to_language_tag(text_);
  if (!language) {
    throw UsageError(
        msg::usage_flag{.flag = "--language", .what = msg::usage_language{.given = text_}});
  }
  return language;
}

}  // namespace qanat
