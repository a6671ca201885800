// The flag --language of commands that read text.
#pragma once

#include <optional>
#include <string>

#include "base/language_tag.h"
#include "cli/flags.h"

namespace qanat {

// A part of a command; lives as long as the CLI::App it declared the flag on.
class LanguageFlag {
 public:
  void declare(Flags& flags, const Message& help);
  // After parsing; nothing when it was not given. Throws UsageError for what is no language tag.
  std::optional<LanguageTag> language() const;

 private:
  std::string text_;
};

}  // namespace qanat
