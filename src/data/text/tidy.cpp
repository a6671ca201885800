#include "text/tidy.h"

#include <utility>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/unicode_data.h"

namespace qanat {
namespace {

constexpr std::u32string_view kClosing = U",.;:?!،؛؟)»…";
constexpr std::u32string_view kOpening = U"(«";
constexpr std::u32string_view kPausing = U",.;:?!،؛؟…";
constexpr std::u32string_view kHeard = U" !\"'(),-.:;?—…،؛؟«»";
constexpr std::u32string_view kOnce = U",.;:?!،؛؟—…'\"";

bool is_in(std::u32string_view set, char32_t code_point) {
  return set.find(code_point) != std::u32string_view::npos;
}

bool is_word_character(char32_t code_point) {
  return is_arabic_letter(code_point) || is_latin_letter(code_point);
}

// Has no sound, but is no part of the word before it either: pictures, arrows, lines. Such a sign
// stays for the tokenizer to report; two words that only it parts are two.
bool is_silent_sign(char32_t code_point) {
  if (is_in(kHeard, code_point)) {
    return false;
  }
  const CharacterKind kind = kind_of(code_point);
  return kind == CharacterKind::sign || kind == CharacterKind::punctuation;
}

bool parts_scripts(char32_t left, char32_t right) {
  return (is_arabic_letter(left) && is_latin_letter(right)) ||
         (is_latin_letter(left) && is_arabic_letter(right));
}

// Takes characters one by one; spaces, ZWNJ and hyphens are written only once what follows is
// known.
class TidyWriter {
 public:
  explicit TidyWriter(std::size_t size) { out_.reserve(size); }

  void put(char32_t code_point) {
    if (code_point == U' ') {
      space_ = true;
    } else if (code_point == kZwnj) {
      joint_ = true;
    } else if (code_point == U'-') {
      put_hyphen();
    } else {
      settle_hyphen(code_point);
      put_visible(code_point);
    }
  }

  // Inside and between words of one script no rule says anything: copies the letters and single
  // spaces that `text` goes on with, most of any text. The bytes taken.
  std::size_t copy_words(std::string_view text) {
    if (space_ || joint_ || hyphen_) {
      return 0;
    }
    const std::size_t end = is_plain_persian_letter(last_) ? persian_words(text)
                            : is_small(last_)              ? small_words(text)
                                                           : 0;
    out_ += text.substr(0, end);  // last_ may stay: of letters only their script counts
    return end;
  }

  std::string take() { return std::move(out_); }

 private:
  static bool is_small(char32_t code_point) { return code_point >= U'a' && code_point <= U'z'; }

  // How far letters reach, with one space between words; never ends in a space.
  static std::size_t small_words(std::string_view text) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (is_ascii_lower(text[at])) {
        end = at + 1;
      } else if (text[at] != ' ' || end < at) {
        break;
      }
    }
    return end;
  }

  static std::size_t persian_words(std::string_view text) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      const char32_t code_point = next_code_point(text, at);
      if (is_plain_persian_letter(code_point)) {
        end = at;
      } else if (code_point != U' ' || end < begin) {
        break;
      }
    }
    return end;
  }

  void put_hyphen() {
    if (!hyphen_) {
      space_before_hyphen_ = space_ || last_ == 0;
      space_ = false;
    }
    hyphen_ = true;
  }

  // Inside a word it stays, alone between spaces it is a dash, elsewhere it is not heard.
  void settle_hyphen(char32_t next) {
    if (!std::exchange(hyphen_, false)) {
      return;
    }
    const bool space_behind = space_;
    if (space_before_hyphen_ && space_behind) {
      put_visible(U'—');
    } else if (!space_before_hyphen_ && !space_behind && is_word_character(last_) &&
               is_word_character(next)) {
      put_visible(U'-');
    }
    space_ = space_before_hyphen_ || space_behind;
  }

  void put_visible(char32_t code_point) {
    const bool together = !space_ || is_in(kClosing, code_point) || code_point == U'—';
    if (code_point == last_ && is_in(kOnce, code_point) && together) {
      return;
    }
    if (last_ != 0) {
      put_gap(code_point);
    }
    space_ = joint_ = false;
    append_utf8(out_, code_point);
    sign_ = !is_word_character(code_point) && is_silent_sign(code_point);
    last_ = code_point;
  }

  void put_gap(char32_t next) {
    const bool joined = joint_ && is_word_character(last_) && is_word_character(next);
    if (space_) {
      const bool no_space = is_in(kClosing, next) || is_in(kOpening, last_);
      out_ += no_space ? "" : " ";
    } else if (joined && is_arabic_letter(last_) && is_arabic_letter(next)) {
      append_utf8(out_, kZwnj);
    } else if (joined || parts_scripts(last_, next) || pauses_before_word(next) ||
               (sign_ && is_word_character(next))) {
      out_ += ' ';
    }
  }

  bool pauses_before_word(char32_t next) const {
    return is_in(kPausing, last_) && is_word_character(next);
  }

  std::string out_;
  char32_t last_ = 0;  // the last visible character; 0 before the first
  bool sign_ = false;  // it is a silent sign
  bool space_ = false;
  bool joint_ = false;
  bool hyphen_ = false;
  bool space_before_hyphen_ = false;
};

}  // namespace

std::string tidy_text(std::string_view text) {
  TidyWriter writer(text.size());
  for (std::size_t at = 0; at < text.size();) {
    writer.put(next_code_point(text, at));
    at += writer.copy_words(text.substr(at));
  }
  return writer.take();
}

}  // namespace qanat
