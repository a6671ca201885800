// Which language a text is in, and how to show one of its characters. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/language_tag.h"

namespace qanat {

// `☃ U+2603`: a character one can see and look up, even one that prints as nothing or moves what
// stands around it. Of the first code point.
std::string describe_character(std::string_view utf8);

// The script most letters of a text are of, and the language it decides.
struct TextScript {
  std::string_view name;                // "Latin"; of text without letters, too
  std::optional<LanguageTag> language;  // nothing: several languages are written in it
  std::string_view example;             // one of them

  bool operator==(const TextScript&) const = default;
};

// Latin letters are taken for English and Arabic ones for Persian; whether a whole set may be is
// for foreign_letters() to say. `utf8` has to be well-formed.
TextScript script_of(std::string_view utf8);

// The letters of a text that are of its script, but that English (or Persian) does not write.
std::u32string foreign_letters(std::string_view utf8, Language language);

}  // namespace qanat
