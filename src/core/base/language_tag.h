// The language a text is in: any language, by its BCP 47 tag. `Language` names the two that have
// readers of their own (and that the program itself speaks).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/language.h"

namespace qanat {

// Value. "en", "de", "zh-Hant-TW": the language in lower case, the script with a capital, the
// region in capitals. English and Persian are always plain "en" and "fa".
class LanguageTag {
 public:
  LanguageTag() : LanguageTag(Language::en) {}
  LanguageTag(Language language)  // NOLINT(google-explicit-constructor): every Language is one
      : text_(qanat::to_string(language)) {}

  const std::string& text() const { return text_; }

  // The language before the first hyphen.
  std::string_view primary() const { return std::string_view(text_).substr(0, text_.find('-')); }

  // The language whose reader speaks it; nothing: none does.
  std::optional<Language> reader() const { return to_language(text_); }

  bool operator==(const LanguageTag&) const = default;
  std::strong_ordering operator<=>(const LanguageTag&) const = default;

 private:
  friend std::optional<LanguageTag> to_language_tag(std::string_view name);
  explicit LanguageTag(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

inline constexpr std::size_t kLongestLanguageTag = 35;  // what RFC 5646 asks programs to take

// A well-formed tag, `_` for `-` allowed, or "English", "Persian", "Farsi"; three letters become
// the two of ISO 639-1 where there are any. Nothing when it is none of these.
std::optional<LanguageTag> to_language_tag(std::string_view name);

inline std::string_view to_string(const LanguageTag& language) {
  return language.text();
}

// For fingerprints: of English and Persian the number of the enumerator, as ever.
std::uint64_t language_number(const LanguageTag& language);

}  // namespace qanat
