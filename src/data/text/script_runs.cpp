#include "text/script_runs.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/fold.h"
#include "text/latin_letters.h"
#include "text/persian_readers.h"
#include "text/units.h"

namespace qanat {
namespace {

constexpr std::size_t kLongestUnit = 8;  // more than the longest sign, in characters
constexpr std::size_t kLongestIban = 40;
constexpr std::size_t kNumeralReach = 24;  // characters looked back for what a numeral counts

bool is_persian_digit(char32_t code_point) {
  return code_point >= U'\u06F0' && code_point <= U'\u06F9';
}

// Walks one sentence and finds the runs in the other script.
class ScriptSplitter {
 public:
  ScriptSplitter(std::u32string_view text, Language language)
      : text_(text), persian_(language == Language::fa) {}

  std::vector<ScriptRun> split() {
    for (std::size_t at = 0; at < text_.size();) {
      if (!is_foreign_letter(at)) {
        ++at;
      } else if (const std::size_t length = own_length(at); length > 0) {
        at += length;
      } else {
        const std::size_t begin = foreign_begin(at);
        const std::size_t end = foreign_end(at);
        add(own_begin_, begin, own());
        add(begin, end, foreign());
        own_begin_ = at = end;
      }
    }
    add(own_begin_, text_.size(), own());
    return std::move(runs_);
  }

 private:
  Language own() const { return persian_ ? Language::fa : Language::en; }
  Language foreign() const { return persian_ ? Language::en : Language::fa; }

  void add(std::size_t begin, std::size_t end, Language language) {
    if (end > begin) {
      runs_.push_back({.text = text_.substr(begin, end - begin), .language = language});
    }
  }

  bool is_foreign_letter(std::size_t at) const {
    return persian_ ? is_latin_letter(text_[at]) : is_arabic_letter(text_[at]);
  }

  bool digit_at(std::size_t at) const {
    return at < text_.size() && digit_value(text_[at]).has_value();
  }

  // Digits that go with foreign letters: Latin ones that touch Latin letters, Persian ones beside
  // Persian words.
  bool is_foreign_digit(std::size_t at) const {
    return persian_ ? digit_at(at) && !is_persian_digit(text_[at]) : is_persian_digit(text_[at]);
  }

  // What may stand between foreign letters and their digits.
  bool touches(char32_t c) const {
    return persian_ ? c == U'-' : c == U' ' || c == U'٫' || c == U'٬';
  }

  // The point of "GPT-4.5".
  bool is_point_in_number(std::size_t at) const {
    return text_[at] == U'.' && at > 0 && digit_at(at - 1) && is_foreign_digit(at - 1) &&
           digit_at(at + 1) && is_foreign_digit(at + 1);
  }

  // What may stand inside a foreign run without being foreign itself.
  bool joins(char32_t c) const {
    if (c == U' ' || c == U'.' || c == U'\'' || c == U'’' || c == U'-' || digit_value(c)) {
      return true;
    }
    return persian_ ? c == U'…' || c == U'&' || c == U'@'
                    : c == kZwnj || c == U'…' || c == U'—' || c == U'–' || c == U'،' || c == U'٫' ||
                          c == U'٬';
  }

  std::size_t foreign_end(std::size_t begin) const {
    std::size_t end = begin;
    bool touching = true;
    for (std::size_t at = begin; at < text_.size(); ++at) {
      if (is_foreign_letter(at) ? own_length(at) == 0 : touching && is_foreign_digit(at)) {
        end = at + 1;
        touching = true;
      } else if (!is_foreign_letter(at) && joins(text_[at])) {
        touching = touching && (touches(text_[at]) || is_point_in_number(at));
      } else {
        break;
      }
    }
    return end;
  }

  // "3D", "۱۰ کتاب": the digits in front of the first foreign letter.
  std::size_t foreign_begin(std::size_t begin) const {
    const std::size_t gap = !persian_ && begin > own_begin_ && text_[begin - 1] == U' ' ? 1 : 0;
    std::size_t first = begin - gap;
    while (first > own_begin_ && is_foreign_digit(first - 1)) {
      --first;
    }
    return first == begin - gap || (persian_ && is_inside_number(first)) ? begin : first;
  }

  // The digits from `at` on are the end of a longer number: 1.5x.
  bool is_inside_number(std::size_t at) const {
    constexpr std::u32string_view kMarks = U"./,:-٫٬";
    return at >= 2 && kMarks.find(text_[at - 1]) != std::u32string_view::npos && digit_at(at - 2);
  }

  // How many Latin letters start here and are read by the Persian rules; 0 if there are none.
  std::size_t own_length(std::size_t at) const {
    if (!persian_) {
      return 0;
    }
    if (const std::size_t length = unit_length(at); length > 0) {
      return length;
    }
    if (is_time_mark(at)) {
      return 1;
    }
    const bool word_start = at == 0 || !is_latin_letter(text_[at - 1]);
    if (word_start && is_version_letter(at)) {
      return 1;
    }
    const bool capital = text_[at] >= U'A' && text_[at] <= U'Z';
    if (!word_start || !capital) {
      return 0;
    }
    const std::size_t begin = at - std::min(at, kNumeralReach);
    const std::string before = fold_characters(text_.substr(begin, at - begin), Language::fa);
    const std::string rest = fold_characters(text_.substr(at, kLongestIban), Language::fa);
    return iban_length(rest) > 0 ? 2 : persian_roman_length({.before = before, .rest = rest});
  }

  // The v of v2.1 and of v۲٫۱.
  bool is_version_letter(std::size_t at) const {
    if (text_[at] != U'v') {
      return false;
    }
    std::size_t end = at + 1;
    while (digit_at(end)) {
      ++end;
    }
    return end > at + 1 && end + 1 < text_.size() && (text_[end] == U'.' || text_[end] == U'٫') &&
           digit_at(end + 1);
  }

  // How long the unit sign is that starts here, behind a number of the Persian sentence; 0: none.
  std::size_t unit_length(std::size_t at) const {
    if (at == 0) {
      return 0;
    }
    const std::size_t sign = text_[at - 1] == U'°' ? at - 1 : at;
    const std::size_t number = sign > 0 && text_[sign - 1] == U' ' ? sign - 1 : sign;
    if (number == 0 || !digit_at(number - 1)) {
      return 0;
    }
    const std::string rest = encode_utf8(text_.substr(sign, kLongestUnit));
    const std::optional<PersianUnit> unit = find_persian_unit(rest);
    const bool glued = number == at;
    if (!unit || (unit->sign.size() == 1 && !glued && is_ascii_word(at)) ||
        (glued && is_screen_size(number - 1, unit->sign))) {
      return 0;
    }
    return decode_utf8(unit->sign).size() - (at - sign);
  }

  // A letter alone behind a number and a space may begin English words: "۱۰ A New Day".
  bool is_ascii_word(std::size_t at) const {
    return at + 2 < text_.size() && text_[at + 1] == U' ' && is_latin_letter(text_[at + 2]);
  }

  // 4K and 8K are names.
  bool is_screen_size(std::size_t digit, std::string_view sign) const {
    const bool alone = digit == 0 || !digit_at(digit - 1);
    return sign == "K" && alone &&
           (text_[digit] == U'2' || text_[digit] == U'4' || text_[digit] == U'8');
  }

  // The T and Z of 2024-05-12T10:30:00Z.
  bool is_time_mark(std::size_t at) const {
    const bool behind_two = at >= 3 && digit_at(at - 1) && digit_at(at - 2);
    if (text_[at] == U'T') {
      return behind_two && text_[at - 3] == U'-' && digit_at(at + 1) && digit_at(at + 2) &&
             at + 3 < text_.size() && text_[at + 3] == U':';
    }
    const bool ends = at + 1 == text_.size() || !is_latin_letter(text_[at + 1]);
    return text_[at] == U'Z' && behind_two && text_[at - 3] == U':' && ends;
  }

  std::u32string_view text_;
  bool persian_;
  std::size_t own_begin_ = 0;
  std::vector<ScriptRun> runs_;
};

}  // namespace

std::vector<ScriptRun> split_scripts(std::u32string_view text, Language language) {
  return ScriptSplitter(text, language).split();
}

}  // namespace qanat
