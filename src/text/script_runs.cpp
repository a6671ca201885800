#include "text/script_runs.h"

#include <cstddef>
#include <utility>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/units.h"

namespace qanat {
namespace {

constexpr std::size_t kLongestUnit = 8;  // more than the longest sign, in characters

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
      } else if (const std::size_t length = unit_length(at); length > 0) {
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

  // Digits that go with foreign letters: any that touch Latin ones, Persian ones beside Persian
  // words.
  bool is_foreign_digit(std::size_t at) const {
    return persian_ ? digit_value(text_[at]).has_value() : is_persian_digit(text_[at]);
  }

  // What may stand between foreign letters and their digits.
  bool touches(char32_t c) const {
    return persian_ ? c == U'-' : c == U' ' || c == U'٫' || c == U'٬';
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
      if (is_foreign_letter(at) ? unit_length(at) == 0 : touching && is_foreign_digit(at)) {
        end = at + 1;
        touching = true;
      } else if (!is_foreign_letter(at) && joins(text_[at])) {
        touching = touching && touches(text_[at]);
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
    return first == begin - gap ? begin : first;
  }

  // Of the unit sign that starts here, behind a number of the Persian sentence; 0 if there is none.
  std::size_t unit_length(std::size_t at) const {
    if (!persian_ || at == 0) {
      return 0;
    }
    std::size_t sign = text_[at - 1] == U'°' ? at - 1 : at;
    const std::size_t number = sign > 0 && text_[sign - 1] == U' ' ? sign - 1 : sign;
    if (number == 0 || !digit_value(text_[number - 1])) {
      return 0;
    }
    const Unit* unit = find_unit(encode_utf8(text_.substr(sign, kLongestUnit)));
    return unit == nullptr ? 0 : decode_utf8(unit->sign).size() - (at - sign);
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
