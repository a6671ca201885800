#include <array>
#include <optional>
#include <string_view>

#include "text/persian_numbers.h"
#include "text/persian_readers.h"
#include "text/roman_numerals.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::size_t kLongestNumeral = 9;

constexpr std::array kRomanOrdinalWords = {
#include "text/persian_roman_ordinal_words_rows.inc"
};
constexpr std::array<string_view, 12> kRomanCardinalWords = {
    "فصل", "بخش", "جلد", "نوع", "فاز", "مرحله", "بند", "جهانی", "سری", "قسمت", "گروه", "ماده"};

}  // namespace

std::size_t persian_roman_length(const Place& place) {
  const string_view letters = leading_letters(place.rest);
  if (letters.empty() || letters.size() > kLongestNumeral || ends_in_letter(place.before) ||
      starts_with_digit(place.rest.substr(letters.size())) || !roman_value(letters)) {
    return 0;
  }
  const bool numbered = persian_word_before(place.before, kRomanOrdinalWords, 1) ||
                        persian_word_before(place.before, kRomanCardinalWords, 1);
  return numbered ? letters.size() : 0;
}

std::size_t read_persian_roman(const Place& place, WordWriter& out) {
  const std::size_t length = persian_roman_length(place);
  if (length == 0) {
    return 0;
  }
  const std::uint64_t value = *roman_value(place.rest.substr(0, length));
  const bool ordinal = persian_word_before(place.before, kRomanOrdinalWords, 1);
  out.words(ordinal ? persian_ordinal(value) : persian_cardinal(value));
  return length;
}

}  // namespace qanat
