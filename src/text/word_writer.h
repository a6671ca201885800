// Collects normalised text and keeps words apart that were not apart in the raw text: "5kg".
#pragma once

#include <string>
#include <string_view>

namespace qanat {

class WordWriter {
 public:
  // Words in place of something else; spaces set them apart.
  void words(std::string_view text);
  // Letters of the text itself.
  void letters(std::string_view text);
  // Anything else of the text: spaces, punctuation.
  void symbol(std::string_view text);

  const std::string& text() const { return text_; }

 private:
  bool ends_in_letter() const;

  std::string text_;
  bool after_words_ = false;
};

}  // namespace qanat
