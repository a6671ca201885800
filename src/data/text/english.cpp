#include <algorithm>
#include <array>
#include <string>

#include "text/characters.h"
#include "text/english_readers.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

struct PerWord {
  string_view written;
  string_view word;
};

// What an amount can be counted by: "$18/hr", "60 words/minute".
constexpr std::array kPerWords = {
#include "text/english_per_words_rows.inc"
};

constexpr std::size_t kFewWords = 4;
constexpr std::size_t kLongestToken = 32;  // bytes looked back

// What stands between the last space and the end of `before`.
string_view last_token(string_view before) {
  before = before.substr(before.size() - std::min(before.size(), kLongestToken));
  const std::size_t space = before.rfind(' ');
  return space == string_view::npos ? before : before.substr(space + 1);
}

string_view without_last_token(string_view before) {
  before.remove_suffix(last_token(before).size());
  before.remove_suffix(before.ends_with(' ') ? 1 : 0);
  return before;
}

bool starts_with_amount(string_view text) {
  const string_view sign = leading_currency_sign(text);
  return starts_with_digit(text.substr(sign.size()));
}

// "9am", "5%", "$20", or a unit behind its number: "10 km".
bool ends_in_amount(string_view before) {
  string_view token = last_token(before);
  token.remove_prefix(std::min(token.find_first_not_of("(\"'"), token.size()));
  const bool unit =
      starts_with_letter(token) && token.size() <= 4 && ends_in_digit(without_last_token(before));
  const bool compound = token.find('-') != string_view::npos;  // "1-in-100"
  return ends_in_digit(before) || (starts_with_amount(token) && !compound) || unit;
}

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
  explicit EnglishReader(string_view text) : text_(text), capitals_(find_capitals(text)) {
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
    if (const std::size_t length = read_plain_english_words(place, out_); length > 0) {
      return length;
    }
    if (string_view(" ,;!)\"").find(place.rest[0]) != string_view::npos) {
      out_.symbol(place.rest.substr(0, 1));
      return 1;
    }
    if (const std::size_t length = read_english_address(place, out_); length > 0) {
      return length;
    }
    if (is_ascii_letter(place.rest[0])) {
      const std::size_t money = is_ascii_upper(place.rest[0]) && !ends_in_letter(place.before)
                                    ? read_english_money(place, out_)
                                    : 0;
      return money > 0 ? money : read_english_word(place, capitals_, out_);
    }
    if (const std::size_t length = read_quantity(place); length > 0) {
      return length;
    }
    if (const std::size_t length = read_mark(place); length > 0) {
      return length;
    }
    if (const SpokenSign* sign = find_sign(place.rest, Language::en)) {
      return put_word(sign->english, sign->sign.size());
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
        return read_english_hashtag(place, out_);
      case '@':
        return read_english_handle(place, out_);
      case '~':
        return starts_with_amount(place.rest.substr(1)) ? put_word("about", 1) : 0;
      case '*':
        return ends_in_digit(place.before) && starts_with_digit(place.rest.substr(1))
                   ? put_word("times", 1)
                   : 0;
      case '^':
        return read_power(place);
      case '<':
      case '>':
        return read_comparison(place);
      case '&':
        return read_ampersand(place);
      case '/':
        return read_slash(place);
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
    const bool exponent = place.before.ends_with('e') && starts_with_digit(next) &&
                          ends_in_digit(place.before.substr(0, place.before.size() - 1));
    return exponent ? put_word("minus", 1) : read_range(place, next, 1);
  }

  // A dash between two amounts or two names of the calendar; 0 when it is none.
  std::size_t read_range(const Place& place, string_view next, std::size_t length) {
    if (parts_calendar_names(place.before, next) ||
        (ends_in_amount(place.before) && starts_with_amount(next))) {
      return put_word("to", length);
    }
    const bool spaced = place.before.ends_with(' ') && next.starts_with(' ');
    if (!spaced || !ends_in_amount(place.before.substr(0, place.before.size() - 1)) ||
        !starts_with_amount(next.substr(1))) {
      return 0;
    }
    const bool sum = next.substr(0, kLongestToken).find('=') != string_view::npos;
    return put_word(sum ? "minus" : "to", length);
  }

  std::size_t read_power(const Place& place) {
    const bool power = (ends_in_digit(place.before) || ends_in_letter(place.before)) &&
                       starts_with_digit(place.rest.substr(1));
    return power ? put_word("to the power of", 1) : 0;
  }

  // Before an amount, not in arrows and tags.
  std::size_t read_comparison(const Place& place) {
    if (!starts_with_amount(skip_spaces(place.rest.substr(1, kLongestToken)))) {
      return 0;
    }
    return put_word(place.rest[0] == '<' ? "less than" : "greater than", 1);
  }

  std::size_t read_slash(const Place& place) {
    const string_view word = leading_letters(place.rest.substr(1));
    const auto* per = std::ranges::find(kPerWords, word, &PerWord::written);
    const bool amount = starts_with_amount(last_token(place.before)) ||
                        ends_in_digit(without_last_token(place.before));
    if (per != kPerWords.end() && amount) {
      return put_word("per " + std::string(per->word), 1 + word.size());
    }
    out_.symbol(" ");
    return 1;
  }

  std::size_t read_en_dash(const Place& place) {
    const std::size_t length = string_view("–").size();
    const string_view next = place.rest.substr(length);
    if (const std::size_t range = read_range(place, next, length); range > 0) {
      return range;
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
