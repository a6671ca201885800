#include "text/english.h"

#include <algorithm>
#include <array>

#include "text/characters.h"
#include "text/english_quantities.h"
#include "text/english_words.h"
#include "text/number_scan.h"
#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {
namespace {

using std::string_view;

struct SignWord {
  string_view sign;
  string_view word;
};

constexpr std::array kSignWords = {
    SignWord{"&", "and"},
    SignWord{"@", "at"},
    SignWord{"%", "percent"},
    SignWord{"+", "plus"},
    SignWord{"=", "equals"},
    SignWord{"°", "degrees"},
    SignWord{"×", "times"},
    SignWord{"÷", "divided by"},
    SignWord{"±", "plus or minus"},
    SignWord{"§", "section"},
    SignWord{"№", "number"},
    SignWord{"¢", "cents"},
    SignWord{"$", "dollars"},
    SignWord{"£", "pounds"},
    SignWord{"€", "euros"},
    SignWord{"¥", "yen"},
    SignWord{"₹", "rupees"},
    SignWord{"‰", "per mille"},
};

constexpr std::size_t kFewWords = 4;

// A headline, not an initialism: several words and no small letter anywhere.
Capitals find_capitals(string_view text) {
  if (std::ranges::any_of(text, is_ascii_lower)) {
    return Capitals::meaningful;
  }
  std::size_t words = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = is_ascii_letter(text[at]) && (at == 0 || !is_ascii_letter(text[at - 1]));
    words += begins ? 1 : 0;
  }
  return words >= kFewWords ? Capitals::everywhere : Capitals::meaningful;
}

class EnglishReader {
 public:
  explicit EnglishReader(string_view text) : text_(text), capitals_(find_capitals(text)) {}

  std::string read() {
    while (at_ < text_.size()) {
      at_ += read_next();
    }
    return out_.text();
  }

 private:
  // The bytes taken, at least one.
  std::size_t read_next() {
    const Place place{.before = text_.substr(0, at_), .rest = text_.substr(at_)};
    if (is_ascii_letter(place.rest[0])) {
      return read_english_word(place, capitals_, out_);
    }
    if (place.rest[0] == ' ') {
      out_.symbol(" ");
      return 1;
    }
    if (const std::size_t length = read_quantity(place); length > 0) {
      return length;
    }
    if (const std::size_t length = read_mark(place); length > 0) {
      return length;
    }
    for (const SignWord& sign : kSignWords) {
      if (place.rest.starts_with(sign.sign)) {
        return put_word(sign.word, sign.sign.size());
      }
    }
    out_.symbol(place.rest.substr(0, 1));
    return 1;
  }

  std::size_t read_quantity(const Place& place) {
    const bool decimal = place.rest[0] == '.' && starts_with_digit(place.rest.substr(1));
    const bool may_start = starts_with_digit(place.rest) || decimal ||
                           string_view("+-(").find(place.rest[0]) != string_view::npos ||
                           !leading_currency_sign(place.rest).empty();
    return may_start ? read_english_quantity(place, out_) : 0;
  }

  std::size_t read_mark(const Place& place) {
    switch (place.rest[0]) {
      case '.':
        return read_full_stop(place);
      case '-':
        return read_hyphen(place);
      case ':':
        return read_colon(place);
      case '\'':
        return read_apostrophe(place);
      case '#':
        return put_word(starts_with_digit(place.rest.substr(1)) ? "number" : "hashtag", 1);
      case '&':
        return read_ampersand(place);
      case '/':
        out_.symbol(" ");
        return 1;
      default:
        return place.rest.starts_with("–")   ? read_en_dash(place)
               : place.rest.starts_with("—") ? put_dash(string_view("—").size())
                                             : 0;
    }
  }

  std::size_t put_dash(std::size_t length) {
    out_.symbol(" — ");
    return length;
  }

  std::size_t put_word(string_view word, std::size_t length) {
    out_.words(word);
    return length;
  }

  // "..." is one mark; "example.com" is read out.
  std::size_t read_full_stop(const Place& place) {
    const std::size_t run = std::min(place.rest.find_first_not_of('.'), place.rest.size());
    if (run > 1) {
      out_.symbol("…");
      return run;
    }
    const string_view next = place.rest.substr(1);
    const bool inside = (ends_in_letter(place.before) || ends_in_digit(place.before)) &&
                        !next.empty() && is_ascii_lower(next[0]);
    if (inside) {
      return put_word("dot", 1);
    }
    const bool missing_space = ends_in_letter(place.before) && starts_with_letter(next);
    out_.symbol(missing_space ? ". " : ".");
    return 1;
  }

  std::size_t read_hyphen(const Place& place) {
    const std::size_t run = std::min(place.rest.find_first_not_of('-'), place.rest.size());
    const string_view next = place.rest.substr(run);
    if (run > 1) {
      return put_dash(run);
    }
    const bool range = ends_in_digit(place.before) &&
                       (starts_with_digit(next) || next.starts_with('$') || next.starts_with("£"));
    return range ? put_word("to", 1) : 0;
  }

  std::size_t read_en_dash(const Place& place) {
    const std::size_t length = string_view("–").size();
    const string_view next = place.rest.substr(length);
    if (ends_in_digit(place.before) && starts_with_digit(next)) {
      return put_word("to", length);
    }
    if (ends_in_letter(place.before) && starts_with_letter(next)) {
      out_.symbol("-");
      return length;
    }
    return put_dash(length);
  }

  // A ratio; times were read with their numbers.
  std::size_t read_colon(const Place& place) {
    const bool ratio = ends_in_digit(place.before) && starts_with_digit(place.rest.substr(1));
    return ratio ? put_word("to", 1) : 0;
  }

  // "'63": the apostrophe stands for the century.
  std::size_t read_apostrophe(const Place& place) {
    return ends_at_boundary(place.before) && starts_with_digit(place.rest.substr(1)) ? 1 : 0;
  }

  std::size_t read_ampersand(const Place& place) {
    return place.rest.starts_with("&c.") ? put_word("et cetera", 3) : 0;
  }

  string_view text_;
  Capitals capitals_;
  std::size_t at_ = 0;
  WordWriter out_;
};

}  // namespace

std::string expand_english(string_view folded) {
  return EnglishReader(folded).read();
}

}  // namespace qanat
