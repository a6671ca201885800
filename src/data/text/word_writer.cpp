#include "text/word_writer.h"

#include "text/characters.h"

namespace qanat {
namespace {

// What words may follow without a space. A hyphen makes a compound: "covid-nineteen".
constexpr std::string_view kBeforeWords = " (\"'-";

}  // namespace

void WordWriter::words(std::string_view text) {
  if (text.empty()) {
    return;
  }
  const bool apart = text_.empty() || kBeforeWords.find(text_.back()) != std::string_view::npos;
  text_ += apart ? "" : " ";
  if (spelling_ == nullptr) {
    text_ += text;
  } else {
    text_ += spelling_(text);
  }
  after_words_ = true;
}

void WordWriter::letters(std::string_view text) {
  text_ += after_words_ && ends_in_letter() ? " " : "";
  text_ += text;
  after_words_ = false;
}

void WordWriter::symbol(std::string_view text) {
  text_ += text;
  after_words_ = false;
}

bool WordWriter::ends_in_letter() const {
  if (text_.empty()) {
    return false;
  }
  const bool beyond_ascii = static_cast<unsigned char>(text_.back()) >= 0x80;
  return beyond_ascii || is_ascii_letter(text_.back());
}

}  // namespace qanat
