#include <algorithm>
#include <array>

#include "text/persian.h"
#include "text/persian_readers.h"

namespace qanat {
namespace {

using std::string_view;

constexpr string_view kKasra = "\u0650";

constexpr std::array kCompounds = {
#include "text/persian_compounds_rows.inc"
};

constexpr std::array<string_view, 10> kAlwaysTied = {
    "بدون", "مثل", "مانند", "طبق", "توسط", "ضمن", "نزد", "علیه", "نظیر", "حین"};

std::string without_kasra(string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with(kKasra)) {
      at += kKasra.size() - 1;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

bool ends_word(string_view after) {
  return !starts_with_persian_letter(after) && !after.starts_with("‌");
}

// The compound at the start of `text`, marked; empty when there is none.
string_view find_compound(string_view text, std::size_t& length) {
  for (const string_view marked : kCompounds) {
    const std::string plain = without_kasra(marked);
    if (text.starts_with(plain) && ends_word(text.substr(plain.size()))) {
      length = plain.size();
      return marked;
    }
  }
  return {};
}

bool is_always_tied(string_view word, string_view after) {
  return std::ranges::find(kAlwaysTied, word) != kAlwaysTied.end() && after.starts_with(' ') &&
         starts_with_persian_letter(after.substr(1));
}

}  // namespace

std::string mark_ezafe(string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const string_view rest = text.substr(at);
    const bool word_start = starts_with_persian_letter(rest) &&
                            !ends_with_persian_letter(text.substr(0, at)) &&
                            !text.substr(0, at).ends_with("‌");
    if (!word_start) {
      out += text[at++];
      continue;
    }
    std::size_t length = 0;
    if (const string_view marked = find_compound(rest, length); !marked.empty()) {
      out += marked;
      at += length;
      continue;
    }
    const string_view word = rest.substr(0, rest.find_first_of(" .,:;!?()"));
    out += word;
    at += word.size();
    out += is_always_tied(word, text.substr(at)) ? kKasra : "";
  }
  return out;
}

}  // namespace qanat
