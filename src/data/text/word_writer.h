// Collects normalised text and keeps words apart that were not apart in the raw text: "5kg".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace qanat {

class WordWriter {
 public:
  // How words() spells what it is given; none: as it is.
  using Spelling = std::string (*)(std::string_view);

  explicit WordWriter(Spelling spelling = nullptr) : spelling_(spelling) {}
  // Makes room for this many bytes.
  void reserve(std::size_t bytes) { text_.reserve(bytes); }

  // Words in place of something else; spaces set them apart.
  void words(std::string_view text);
  // Letters of the text itself.
  void letters(std::string_view text);
  // Anything else of the text: spaces, punctuation.
  void symbol(std::string_view text);

  // Letters put now begin a word of their own, whatever stood before them in the text.
  bool after_words() const { return after_words_; }

  std::string take() { return std::move(text_); }

 private:
  bool ends_in_letter() const;

  Spelling spelling_;
  std::string text_;
  bool after_words_ = false;
};

// The bytes that the first of `readers` takes which finds something to read; 0 when none does. A
// reader looks at what starts at a place, writes its words and returns the bytes it took, or 0.
std::size_t read_first(const auto& readers, const auto& place, WordWriter& out) {
  for (const auto reader : readers) {
    if (const std::size_t length = reader(place, out); length > 0) {
      return length;
    }
  }
  return 0;
}

}  // namespace qanat
