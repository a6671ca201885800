#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/persian.h"
#include "text/word_index.h"

namespace qanat {
namespace {

using std::string_view;

constexpr string_view kJoint = "‌";
constexpr string_view kEzafeMark = "\u0654";

// Endings that are typed as words of their own.
constexpr std::array<string_view, 12> kPluralAndDegree = {
    "ها", "های", "هایی", "هایم", "هایت", "هایش", "هایمان", "هایتان", "هایشان", "تر", "ترین", "تری"};
constexpr WordIndex kPluralAndDegreeIndex(kPluralAndDegree);
constexpr std::array<string_view, 7> kBehindSilentH = {"ام", "ات", "اش", "ای", "ایم", "اید", "اند"};
constexpr WordIndex kBehindSilentHIndex(kBehindSilentH);

// Those of plurals, which are also glued on.
constexpr std::array<string_view, 9> kGluedPlurals = {
    "ها", "های", "هایی", "هایم", "هایت", "هایش", "هایمان", "هایتان", "هایشان"};
constexpr WordIndex kGluedPluralIndex(kGluedPlurals);

// Words that end in ها without being plurals.
constexpr std::array<string_view, 11> kNoPlurals = {
    "تن", "علی", "انت", "منت", "اشت", "من", "گرانب", "کهرب", "فق", "سف", "بین"};

// Behind these «تر» is wet.
constexpr std::array<string_view, 5> kWet = {"چشم", "دیده", "خشک", "هیزم", "لباس"};

// Behind «می» these say that it is wine.
constexpr std::array kBehindWine = {
#include "text/persian_behind_wine_rows.inc"
};
constexpr WordIndex kBehindWineIndex(kBehindWine);

// All tables are sorted by bytes.

constexpr std::array kPresentStems = {
#include "text/persian_present_stems_rows.inc"
};

constexpr std::array kPastStems = {
#include "text/persian_past_stems_rows.inc"
};

// Forms of everyday speech, whole: میرم، میشه، میگن.
constexpr std::array kSpokenForms = {
#include "text/persian_spoken_forms_rows.inc"
};

// In the present an ending is needed; the past has a form without one. The second row also has
// the object at its end: می‌بینمش.
constexpr std::array<string_view, 6> kPresentEndings = {"م", "ی", "د", "یم", "ید", "ند"};
constexpr std::array<string_view, 6> kPastEndings = {"", "م", "ی", "یم", "ید", "ند"};
constexpr std::array<string_view, 8> kObjects = {"", "ش", "شان", "شون", "تان", "تون", "مان", "مون"};

template <std::size_t kCount>
constexpr bool is_sorted_table(const std::array<string_view, kCount>& words) {
  return std::ranges::is_sorted(words);
}
static_assert(is_sorted_table(kPresentStems) && is_sorted_table(kPastStems) &&
              is_sorted_table(kSpokenForms));

template <std::size_t kStems, std::size_t kEndings>
bool has_form(string_view word,
              const std::array<string_view, kStems>& stems,
              const std::array<string_view, kEndings>& endings) {
  return std::ranges::any_of(endings, [&](string_view ending) {
    return word.size() > ending.size() && word.ends_with(ending) &&
           std::ranges::binary_search(stems, word.substr(0, word.size() - ending.size()));
  });
}

// Whether it is a form of a verb behind می, a stem and an ending of the present or the past: روم of
// میروم is, دان of میدان is not.
bool is_persian_verb_form(string_view word) {
  if (std::ranges::binary_search(kSpokenForms, word)) {
    return true;
  }
  return std::ranges::any_of(kObjects, [&](string_view object) {
    if (!word.ends_with(object)) {
      return false;
    }
    const string_view form = word.substr(0, word.size() - object.size());
    return has_form(form, kPresentStems, kPresentEndings) ||
           has_form(form, kPastStems, kPastEndings);
  });
}

bool is_in(string_view word, auto const& words) {
  return std::ranges::find(words, word) != words.end();
}

// Letters that do not join the one behind them need no ZWNJ to stay apart.
bool ends_unjoined(string_view text) {
  constexpr std::array<string_view, 8> kUnjoined = {"ا", "آ", "د", "ذ", "ر", "ز", "ژ", "و"};
  return std::ranges::any_of(kUnjoined, [&](string_view letter) { return text.ends_with(letter); });
}

// Puts words behind each other and joins what belongs together.
class SpellingWriter {
 public:
  explicit SpellingWriter(std::size_t size) { out_.reserve(size + size / 8); }

  // A word with the marks around it.
  void put(string_view opening, string_view word, string_view marks) {
    if (!opening.empty() || !join(word)) {
      put_space();
      out_ += opening;
      begin_ = out_.size();
      put_word(word);
    }
    out_ += marks;
    open_ = marks.empty();
  }

  // Anything else between two spaces.
  void put_other(string_view text) {
    put_space();
    out_ += text;
    open_ = false;
  }

  std::string take() { return std::move(out_); }

 private:
  void put_space() { out_ += out_.empty() ? "" : " "; }

  // The word in front, as far as it was written; empty when a mark stands behind it.
  string_view last() const { return open_ ? string_view(out_).substr(begin_) : string_view{}; }

  bool join(string_view word) {
    const string_view before = last();
    if (before.empty()) {
      return false;
    }
    if (word == "ی") {
      return join_ezafe(before);
    }
    if (kPluralAndDegreeIndex.contains(word) && before.size() > 2 && !is_wet(before, word)) {
      return ends_unjoined(before) ? glue(word) : append(kJoint, word);
    }
    if ((before.ends_with("ه") && kBehindSilentHIndex.contains(word)) ||
        ((before == "می" || before == "نمی") && !kBehindWineIndex.contains(word))) {
      return append(kJoint, word);
    }
    return false;
  }

  bool append(string_view joint, string_view ending) {
    out_ += joint;
    out_ += ending;
    return true;
  }

  // Both make one word, which is spelled as one: «میرو ی» is «می‌روی».
  bool glue(string_view ending) {
    const std::string word = out_.substr(begin_) + std::string(ending);
    out_.resize(begin_);
    put_word(word);
    return true;
  }

  static bool is_wet(string_view before, string_view word) {
    return word.starts_with("تر") && is_in(before, kWet);
  }

  bool join_ezafe(string_view before) {
    const bool vowel = before.ends_with("ا") || before.ends_with("و");
    if (before.ends_with("ه")) {
      return append("", kEzafeMark);
    }
    return vowel && before.size() > 2 && glue("ی");
  }

  void put_word(string_view word) {
    if (word.ends_with("ه‌ی")) {
      out_ += word.substr(0, word.size() - string_view("‌ی").size());
      out_ += kEzafeMark;
    } else if (word.find(kJoint) != string_view::npos) {
      put_joined(word);
    } else if (!put_verb(word) && !put_plural(word)) {
      out_ += word;
    }
  }

  // کار‌ها is کارها.
  void put_joined(string_view word) {
    const std::size_t joint = word.rfind(kJoint);
    const string_view stem = word.substr(0, joint);
    const string_view ending = word.substr(joint + kJoint.size());
    out_ += stem;
    out_ += ends_unjoined(stem) && kPluralAndDegreeIndex.contains(ending) ? "" : kJoint;
    out_ += ending;
  }

  bool put_verb(string_view word) {
    for (const string_view prefix : {"نمی", "می"}) {
      if (word.starts_with(prefix) && is_persian_verb_form(word.substr(prefix.size()))) {
        out_ += prefix;
        out_ += kJoint;
        out_ += word.substr(prefix.size());
        return true;
      }
    }
    return false;
  }

  bool put_plural(string_view word) {
    const std::size_t begin = word.rfind(kGluedPlurals[0]);
    if (begin == string_view::npos || !kGluedPluralIndex.contains(word.substr(begin))) {
      return false;
    }
    const string_view stem = word.substr(0, begin);
    if (stem.size() < 4 || ends_unjoined(stem) || is_in(stem, kNoPlurals)) {
      return false;
    }
    out_ += stem;
    out_ += kJoint;
    out_ += word.substr(begin);
    return true;
  }

  std::string out_;
  std::size_t begin_ = 0;  // of the last word
  bool open_ = false;      // nothing stands behind it yet
};

std::size_t opening_length(string_view token) {
  for (const string_view mark : {"«", "(", "\""}) {
    if (token.starts_with(mark)) {
      return mark.size();
    }
  }
  return 0;
}

// Bytes of the Persian word `token` begins with.
std::size_t word_length(string_view token) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < token.size();) {
    const char32_t code_point = next_code_point(token, at);
    if (!is_arabic_letter(code_point) && code_point != kZwnj) {
      break;
    }
    end = at;
  }
  return end;
}

}  // namespace

std::string unify_persian_spelling(string_view text) {
  SpellingWriter writer(text.size());
  while (!text.empty()) {
    const string_view token = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(token.size() + 1, text.size()));
    const std::size_t opening = opening_length(token);
    const std::size_t length = word_length(token.substr(opening));
    if (length == 0) {
      writer.put_other(token);
    } else {
      writer.put(
          token.substr(0, opening), token.substr(opening, length), token.substr(opening + length));
    }
  }
  return writer.take();
}

}  // namespace qanat
