#include "text/persian.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/number_scan.h"
#include "text/persian_letters.h"
#include "text/persian_quantities.h"
#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {
namespace {

using std::string_view;

struct Reading {
  string_view written;
  string_view words;
};

constexpr std::array kSigns = {
    Reading{"&", "و"},
    Reading{"@", "ات"},
    Reading{"%", "درصد"},
    Reading{"+", "به‌علاوه"},
    Reading{"=", "مساوی"},
    Reading{"°", "درجه"},
    Reading{"×", "ضربدر"},
    Reading{"÷", "تقسیم بر"},
    Reading{"±", "مثبت منفی"},
    Reading{"§", "بند"},
    Reading{"№", "شماره"},
    Reading{"$", "دلار"},
    Reading{"£", "پوند"},
    Reading{"€", "یورو"},
    Reading{"¥", "ین"},
    Reading{"₹", "روپیه"},
    Reading{"‰", "در هزار"},
};

// Between anything but letters. The full stop behind them belongs to them.
constexpr std::array kPersianAbbreviations = {
    Reading{"ه.ش", "هجری شمسی"},
    Reading{"ه.ق", "هجری قمری"},
    Reading{"ق.م", "قبل از میلاد"},
    Reading{"(ص)", "صلی الله علیه و آله"},
    Reading{"(ع)", "علیه السلام"},
    Reading{"(س)", "سلام الله علیها"},
    Reading{"(ره)", "رحمت الله علیه"},
    Reading{"(عج)", "عجل الله تعالی فرجه"},
};

constexpr std::array kBeforeNumber = {
    Reading{"ص.", "صفحه"},
    Reading{"ج.", "جلد"},
    Reading{"ش.", "شماره"},
};

constexpr std::array kPunctuation = {Reading{",", "،"}, Reading{";", "؛"}, Reading{"?", "؟"}};

// The length of `written` at the start of `text`, with a space allowed beside its marks; 0 when it
// does not stand there.
std::size_t match_loosely(string_view text, string_view written) {
  std::size_t at = 0;
  for (const char byte : written) {
    const bool mark = static_cast<unsigned char>(byte) < 0x80;
    const bool behind_mark = at > 0 && static_cast<unsigned char>(text[at - 1]) < 0x80;
    at += (mark || behind_mark) && text.substr(at).starts_with(' ') ? 1 : 0;
    if (at >= text.size() || text[at] != byte) {
      return 0;
    }
    ++at;
  }
  return at;
}

class PersianReader {
 public:
  explicit PersianReader(string_view text) : text_(text) {}

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
    if (const std::size_t length = read_abbreviation(place); length > 0) {
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

  std::size_t read_abbreviation(const Place& place) {
    const bool bracket = place.rest[0] == '(';
    const bool word =
        starts_with_persian_letter(place.rest) && !ends_with_persian_letter(place.before);
    if (!bracket && !word) {
      return 0;
    }
    for (const Reading& one : kPersianAbbreviations) {
      const std::size_t length = match_loosely(place.rest, one.written);
      const string_view after = place.rest.substr(length);
      if (length > 0 && (bracket || !starts_with_persian_letter(after))) {
        const bool stop = !bracket && after.starts_with('.') && after.size() > 1;
        put_word(one.words);
        return length + (stop ? 1 : 0);
      }
    }
    for (const Reading& one : kBeforeNumber) {
      if (place.rest.starts_with(one.written) &&
          starts_with_digit(skip_spaces(place.rest.substr(one.written.size(), 8)))) {
        put_word(one.words);
        return one.written.size();
      }
    }
    return 0;
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
        return put_word(starts_with_digit(next) ? "شماره" : "هشتگ");
      case '/':
        out_.symbol(" ");
        return 1;
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

  std::size_t read_hyphen(const Place& place) {
    const std::size_t run = std::min(place.rest.find_first_not_of('-'), place.rest.size());
    const string_view next = place.rest.substr(run);
    if (run > 1) {
      out_.symbol(" — ");
      return run;
    }
    return ends_in_digit(place.before) && starts_with_digit(next) ? put_word("تا") : 0;
  }

  std::size_t read_dash_or_joint(const Place& place) {
    for (const string_view dash : {"–", "—"}) {
      if (!place.rest.starts_with(dash)) {
        continue;
      }
      if (ends_in_digit(place.before) && starts_with_digit(place.rest.substr(dash.size()))) {
        put_word("تا");
      } else {
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
      const char lower = to_ascii_lower(place.rest[0]);
      out_.letters(string_view(&lower, 1));
      return 1;
    }
    std::size_t length = 0;
    if (!is_arabic_letter(next_code_point(place.rest, length))) {
      return 0;
    }
    out_.letters(place.rest.substr(0, length));
    return length;
  }

  std::size_t read_character(const Place& place) {
    for (const Reading& sign : kSigns) {
      if (place.rest.starts_with(sign.written)) {
        put_word(sign.words);
        return sign.written.size();
      }
    }
    for (const Reading& mark : kPunctuation) {
      if (place.rest.starts_with(mark.written)) {
        out_.symbol(mark.words);
        return mark.written.size();
      }
    }
    out_.symbol(place.rest.substr(0, 1));
    return 1;
  }

  // A word in place of one byte.
  std::size_t put_word(string_view word) {
    out_.words(word);
    return 1;
  }

  string_view text_;
  std::size_t at_ = 0;
  WordWriter out_;
};

}  // namespace

std::string expand_persian(string_view folded) {
  return PersianReader(folded).read();
}

}  // namespace qanat
