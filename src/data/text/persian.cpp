#include "text/persian.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/number_scan.h"
#include "text/persian_numbers.h"
#include "text/persian_readers.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

struct Mark {
  char written;
  string_view persian;
};

constexpr std::array kPunctuation = {Mark{',', "،"}, Mark{';', "؛"}, Mark{'?', "؟"}};

// A slash between them says "per".
constexpr std::array<string_view, 5> kPerTime = {"ساعت", "ثانیه", "دقیقه", "روز", "لیتر"};
constexpr std::array<string_view, 8> kPerUnits = {
    "کیلومتر", "متر", "مایل", "مگابیت", "گیگابیت", "مگابایت", "لیتر", "گرم"};

class PersianReader {
 public:
  // Reads what stands behind the first `begin` bytes.
  PersianReader(string_view text, std::size_t begin, NumberVowels vowels)
      : text_(text),
        at_(begin),
        out_(vowels == NumberVowels::write ? with_number_vowels : WordWriter::Spelling{}) {
    out_.reserve(text.size() + text.size() / 4);
  }

  std::string read() {
    while (at_ < text_.size()) {
      at_ += read_next();
    }
    return out_.take();
  }

 private:
  // The bytes taken, at least one.
  std::size_t read_next() {
    const Place place{.before = text_.substr(0, at_), .rest = text_.substr(at_)};
    if (const std::size_t length = read_plain_words(place.rest); length > 0) {
      return length;
    }
    if (const std::size_t length = read_persian_abbreviation(place, out_); length > 0) {
      return length;
    }
    if (const std::size_t length = read_latin(place); length > 0) {
      return length;
    }
    if (const std::size_t length = read_letter(place); length > 0) {
      return length;
    }
    if (const std::size_t length = read_quantity(place); length > 0) {
      return length;
    }
    if (const std::size_t length = read_mark(place); length > 0) {
      return length;
    }
    return read_character(place);
  }

  // Words and the spaces between them, as far as none can be a short form: most of any text.
  std::size_t read_plain_words(string_view rest) {
    std::size_t at = 0;
    while (at < rest.size()) {
      if (rest[at] == ' ') {
        out_.symbol(" ");
        ++at;
        continue;
      }
      if (joins_letters(rest.substr(at))) {
        out_.symbol(kZwnjBytes);
        at += kZwnjBytes.size();
      }
      const string_view word = leading_persian_letters(rest.substr(at));
      if (word.empty() || may_be_persian_abbreviation(word, rest.substr(at + word.size()))) {
        break;
      }
      out_.letters(word);
      at += word.size();
    }
    return at;
  }

  static bool joins_letters(string_view text) {
    return text.starts_with(kZwnjBytes) &&
           starts_with_persian_letter(text.substr(kZwnjBytes.size()));
  }

  // Latin letters that the Persian rules read.
  std::size_t read_latin(const Place& place) {
    if (!is_ascii_upper(place.rest[0])) {
      return 0;
    }
    const std::size_t length = read_iban(place, out_);
    return length > 0 ? length : read_persian_roman(place, out_);
  }

  std::size_t read_quantity(const Place& place) {
    const bool may_start = starts_with_digit(place.rest) ||
                           (place.rest[0] == '.' && starts_with_digit(place.rest.substr(1))) ||
                           string_view("+-(%").find(place.rest[0]) != string_view::npos ||
                           !leading_currency_sign(place.rest).empty();
    return may_start ? read_persian_quantity(place, out_) : 0;
  }

  std::size_t read_mark(const Place& place) {
    const string_view next = place.rest.substr(1);
    switch (place.rest[0]) {
      case '.':
        return read_full_stop(place);
      case '-':
        return read_hyphen(place);
      case ':':
        return ends_in_digit(place.before) && starts_with_digit(next) ? put_word("به") : 0;
      case '#':
        return read_hash(place);
      case '/':
        return read_slash_between_words(place);
      case '_':
        out_.symbol(" ");
        return 1;
      case '~':
        return starts_with_digit(next) ? put_word("حدود") : 0;
      default:
        return read_dash_or_joint(place);
    }
  }

  std::size_t read_full_stop(const Place& place) {
    const std::size_t run = std::min(place.rest.find_first_not_of('.'), place.rest.size());
    if (run < 2) {
      return 0;
    }
    out_.symbol("…");
    return run;
  }

  std::size_t read_hash(const Place& place) {
    if (starts_with_digit(place.rest.substr(1))) {
      return put_word("شماره");
    }
    if (persian_word_before(place.before, std::array<string_view, 1>{"هشتگ"}, 1)) {
      out_.symbol(" ");  // said already
      return 1;
    }
    return put_word("هشتگ");
  }

  std::size_t read_slash_between_words(const Place& place) {
    if (persian_word_before(place.before, kPerUnits, 1) && !place.before.ends_with(' ') &&
        persian_word_follows(place.rest.substr(1), kPerTime)) {
      return put_word("بر");
    }
    out_.symbol(" ");
    return 1;
  }

  std::size_t read_hyphen(const Place& place) {
    const std::size_t run = std::min(place.rest.find_first_not_of('-'), place.rest.size());
    if (run > 1) {
      out_.symbol(" — ");
      return run;
    }
    const bool behind_latin = !place.before.empty() && is_ascii_letter(place.before.back());
    if (behind_latin && starts_with_digit(place.rest.substr(1))) {
      out_.symbol(" ");  // GPT-۴
      return run;
    }
    return read_range(place, run) ? run : 0;
  }

  // The dash at `place`, `length` bytes long, between two numbers: a score or a range.
  bool read_range(const Place& place, std::size_t length) {
    string_view left = place.before;
    string_view right = place.rest.substr(length);
    if (left.ends_with(' ') && right.starts_with(' ')) {
      left.remove_suffix(1);
      right.remove_prefix(1);
    }
    const bool after_number = ends_in_digit(left) || left.ends_with('%');
    if (!after_number || !starts_with_digit(right)) {
      return false;
    }
    out_.words(is_score(left, right) ? "بر" : "تا");
    return true;
  }

  static bool is_score(string_view left, string_view right) {
    constexpr std::size_t kMaxScore = 2;  // digits
    std::size_t begin = left.size();
    while (begin > 0 && is_ascii_digit(left[begin - 1])) {
      --begin;
    }
    const string_view second = leading_digits(right);
    const string_view after = right.substr(second.size());
    const bool small = left.size() - begin <= kMaxScore && second.size() <= kMaxScore;
    const bool whole =
        (begin == 0 || !is_number_mark(left[begin - 1])) &&
        (after.empty() || !is_number_mark(after[0]) || !starts_with_digit(after.substr(1)));
    return small && whole && !after.starts_with('%') && !measure_follows(after) &&
           among_score_words(left.substr(0, begin), after);
  }

  static bool is_number_mark(char byte) {
    return string_view("/.,:-").find(byte) != string_view::npos;
  }

  std::size_t read_dash_or_joint(const Place& place) {
    for (const string_view dash : {"–", "—"}) {
      if (!place.rest.starts_with(dash)) {
        continue;
      }
      if (!read_range(place, dash.size())) {
        out_.symbol(" — ");
      }
      return dash.size();
    }
    const bool joint = place.rest.starts_with(kZwnjBytes) &&
                       starts_with_digit(place.rest.substr(kZwnjBytes.size()));
    if (joint) {
      out_.symbol(" ");
      return kZwnjBytes.size();
    }
    return 0;
  }

  std::size_t read_letter(const Place& place) {
    if (is_ascii_letter(place.rest[0])) {
      const string_view word = leading_letters(place.rest);
      if (word == "v" && ends_at_boundary(place.before) &&
          starts_with_digit(place.rest.substr(1))) {
        out_.words(behind_version_word(place.before) ? "" : "نسخهٔ");  // v2.1
        return 1;
      }
      out_.letters(ascii_lower(word));
      return word.size();
    }
    const string_view word = leading_persian_letters(place.rest);
    if (!word.empty()) {
      out_.letters(word);
    }
    return word.size();
  }

  std::size_t read_character(const Place& place) {
    if (const SpokenSign* sign = find_sign(place.rest, Language::fa)) {
      put_word(sign->persian);
      return sign->sign.size();
    }
    const auto* mark = std::ranges::find(kPunctuation, place.rest[0], &Mark::written);
    out_.symbol(mark == kPunctuation.end() ? place.rest.substr(0, 1) : mark->persian);
    return 1;
  }

  // A word in place of one byte.
  std::size_t put_word(string_view word) {
    out_.words(word);
    return 1;
  }

  string_view text_;
  std::size_t at_;
  WordWriter out_;
};

}  // namespace

std::string expand_persian(string_view folded, NumberVowels vowels, string_view before) {
  if (before.empty()) {
    return PersianReader(folded, 0, vowels).read();
  }
  std::string text(before);
  text += folded;
  return PersianReader(text, before.size(), vowels).read();
}

}  // namespace qanat
