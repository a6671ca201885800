// The languages of the text front end, by their ISO 639-1 codes.
#pragma once

#include <optional>
#include <string_view>

namespace qanat {

enum class Language { en, fa };

constexpr std::string_view to_string(Language language) {
  return language == Language::en ? "en" : "fa";
}

constexpr std::optional<Language> to_language(std::string_view code) {
  if (code == "en") {
    return Language::en;
  }
  if (code == "fa") {
    return Language::fa;
  }
  return std::nullopt;
}

}  // namespace qanat
