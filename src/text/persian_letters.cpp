#include "text/persian_letters.h"

#include <cstddef>

#include "base/utf8.h"
#include "text/characters.h"

namespace qanat {

bool starts_with_persian_letter(std::string_view text) {
  std::size_t at = 0;
  return !text.empty() && is_arabic_letter(next_code_point(text, at));
}

bool ends_with_persian_letter(std::string_view text) {
  // All of them take two bytes once presentation forms are folded away.
  return text.size() >= 2 && starts_with_persian_letter(text.substr(text.size() - 2));
}

std::string_view leading_persian_letters(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size() && is_arabic_letter(next_code_point(text, at));) {
    end = at;
  }
  return text.substr(0, end);
}

}  // namespace qanat
