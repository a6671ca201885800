#include "text/any_language.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/languages.h"
#include "text/folded_marks.h"
#include "text/unicode_data.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxMarks = 32;   // on one letter; Unicode's own limit is 30
constexpr std::size_t kShownRuns = 3;   // of digits and signs, in messages
constexpr std::size_t kShownText = 40;  // of the text
constexpr char32_t kZwj = 0x200D;

bool is_letter_or_mark(char32_t code_point) {
  const CharacterKind kind = kind_of(code_point);
  return kind == CharacterKind::letter || kind == CharacterKind::mark;
}

bool is_joiner(char32_t code_point) {
  return code_point == kZwnj || code_point == kZwj;
}

std::optional<Failure> too_many_marks(std::u32string_view text) {
  std::size_t marks = 0;
  for (const char32_t code_point : text) {
    marks = kind_of(code_point) == CharacterKind::mark ? marks + 1 : 0;
    if (marks > kMaxMarks) {
      return to_failure(msg::text_too_many_marks{.text = excerpt(encode_utf8(text), kShownText),
                                                 .most = kMaxMarks});
    }
  }
  return std::nullopt;
}

// Visible characters; joiners stay between letters, where scripts spell with them.
std::u32string visible(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const CharacterKind kind = kind_of(text[at]);
    if (kind == CharacterKind::space) {
      if (!out.empty() && out.back() != U' ') {
        out += U' ';
      }
    } else if (kind != CharacterKind::invisible) {
      out += text[at];
    } else if (is_joiner(text[at]) && !out.empty() && is_letter_or_mark(out.back()) &&
               at + 1 < text.size() && is_letter_or_mark(text[at + 1])) {
      out += text[at];
    }
  }
  while (!out.empty() && out.back() == U' ') {
    out.pop_back();
  }
  return out;
}

// Letters and ASCII of the width of Chinese ones.
char32_t narrow(char32_t code_point) {
  const bool letter = (code_point >= 0xFF21 && code_point <= 0xFF3A) ||
                      (code_point >= 0xFF41 && code_point <= 0xFF5A);
  return letter ? code_point - 0xFEE0 : code_point;
}

char32_t small_letter(char32_t code_point, const LanguageTag& language) {
  const std::string_view primary = language.primary();
  if (code_point == U'I' && (primary == "tr" || primary == "az")) {
    return U'ı';
  }
  return to_small(narrow(code_point));
}

// Thai, Lao, Khmer, Burmese, Chinese, Japanese.
bool is_spaceless(char32_t code_point) {
  return (code_point >= 0x0E00 && code_point < 0x0F00) ||
         (code_point >= 0x1000 && code_point < 0x10A0) ||
         (code_point >= 0x1780 && code_point < 0x1800) ||
         (code_point >= 0x3040 && code_point < 0x3100) ||
         (code_point >= 0x3400 && code_point < 0xA000) ||
         (code_point >= 0xF900 && code_point < 0xFB00) ||
         (code_point >= 0x20000 && code_point < 0x32000);
}

// Runs of what only a reader could say, each once.
class Unspoken {
 public:
  void add(char32_t code_point, std::size_t at) {
    if (!runs_.empty() && end_ == at) {
      append_utf8(runs_.back(), code_point);
    } else if (runs_.size() <= kShownRuns) {
      runs_.emplace_back();
      append_utf8(runs_.back(), code_point);
    }
    end_ = at + 1;
  }

  bool empty() const { return runs_.empty(); }

  std::vector<std::string> shown() && {
    for (std::string& run : runs_) {
      run = excerpt(run, kShownText / 2);
    }
    if (runs_.size() > kShownRuns) {
      runs_.back() = "…";
    }
    return std::move(runs_);
  }

 private:
  std::vector<std::string> runs_;
  std::size_t end_ = 0;
};

}  // namespace

Result<std::string> tidy_line(std::string_view utf8) {
  const std::u32string text = visible(decode_utf8(utf8));
  if (std::optional<Failure> failure = too_many_marks(text)) {
    return *std::move(failure);
  }
  std::string composed = compose_marks(encode_utf8(text));
  // A few marks are written as two in that form.
  if (std::optional<Failure> failure = too_many_marks(decode_utf8(composed))) {
    return *std::move(failure);
  }
  return composed;
}

Result<std::string> normalise_any(std::string_view utf8, const LanguageTag& language) {
  const Result<std::string> line = tidy_line(utf8);
  if (!line) {
    return line.failure();
  }
  const bool greek = language.primary() == "el";
  Unspoken unspoken;
  std::u32string out;
  const std::u32string text = decode_utf8(line.value());
  for (std::size_t at = 0; at < text.size(); ++at) {
    char32_t code_point = folded_mark(text[at]);
    if (greek && code_point == U';') {
      code_point = U'?';
    }
    const CharacterKind kind = kind_of(code_point);
    if (kind == CharacterKind::digit || kind == CharacterKind::sign) {
      unspoken.add(text[at], at);
    }
    out += small_letter(code_point, language);
  }
  if (!unspoken.empty()) {
    return to_failure(msg::text_no_reader{.text = excerpt(line.value(), kShownText),
                                          .language = language.text(),
                                          .what = std::move(unspoken).shown()});
  }
  return compose_marks(encode_utf8(out));
}

std::vector<std::string> split_words(std::string_view utf8, const LanguageTag& language) {
  const Result<std::string> line = tidy_line(utf8);
  std::vector<std::string> words(1);
  for (const char32_t code_point : decode_utf8(line ? std::string_view(line.value()) : utf8)) {
    const CharacterKind kind = kind_of(code_point);
    const bool word = kind == CharacterKind::letter || kind == CharacterKind::mark ||
                      kind == CharacterKind::digit || is_joiner(code_point) ||
                      (folded_mark(code_point) == U'\'' && !words.back().empty());
    const bool alone = kind == CharacterKind::letter && is_spaceless(code_point);
    if ((!word || alone) && !words.back().empty()) {
      words.emplace_back();
    }
    if (word) {
      append_utf8(words.back(), small_letter(folded_mark(code_point), language));
    }
  }
  for (std::string& one : words) {
    while (one.ends_with('\'')) {
      one.pop_back();
    }
  }
  std::erase(words, std::string());
  return words;
}

bool has_any_letter(std::string_view utf8) {
  return std::ranges::any_of(decode_utf8(utf8), [](char32_t code_point) {
    return kind_of(code_point) == CharacterKind::letter;
  });
}

}  // namespace qanat
