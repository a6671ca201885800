#include "text/normalise.h"

#include <cstddef>
#include <utility>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/english_readers.h"
#include "text/fold.h"
#include "text/persian.h"
#include "text/persian_readers.h"
#include "text/script_runs.h"
#include "text/tidy.h"

namespace qanat {
namespace {

constexpr int kMaxReadings = 8;

// A mark that no rule reads in text without digits and capitals, wherever it stands.
bool is_quiet_mark(char byte) {
  return std::string_view(",;:?!\"')").find(byte) != std::string_view::npos;
}

// Between the letters of "well-known".
bool joins_words(std::string_view before, std::string_view after) {
  const auto letter = [](char byte) {
    return is_ascii_lower(byte) || static_cast<unsigned char>(byte) >= 0x80;
  };
  return !before.empty() && letter(before.back()) && !after.empty() && letter(after.front());
}

// «ق» of «ق. م».
bool ends_in_single_letter(std::string_view word) {
  constexpr std::size_t kLetter = std::string_view("ق").size();
  return ends_with_persian_letter(word) &&
         !ends_with_persian_letter(word.substr(0, word.size() - kLetter));
}

// A full stop between `word` and `after` that belongs to no short form.
bool closes_sentence(std::string_view word, std::string_view after) {
  const bool stands_behind =
      after.empty() || std::string_view(" \"')").find(after.front()) != std::string_view::npos;
  return stands_behind && !word.empty() && !ends_in_single_letter(word) &&
         !is_english_abbreviation(word);
}

// Whether reading `spoken` once more certainly changes nothing.
bool is_settled(std::string_view spoken) {
  std::size_t word = 0;
  for (std::size_t at = 0; at < spoken.size(); ++at) {
    const char byte = spoken[at];
    if (is_ascii_lower(byte) || static_cast<unsigned char>(byte) >= 0x80) {
      continue;
    }
    const std::string_view after = spoken.substr(at + 1);
    const bool settled = byte == ' ' || is_quiet_mark(byte) ||
                         (byte == '-' && joins_words(spoken.substr(0, at), after)) ||
                         (byte == '.' && closes_sentence(spoken.substr(word, at - word), after));
    if (!settled) {
      return false;
    }
    word = at + 1;
  }
  return true;
}

std::string read_text(std::string_view utf8, Language language, const NormaliseOptions& options) {
  const std::u32string text = drop_invisible(decode_utf8(utf8), language);
  std::string words;
  words.reserve(utf8.size() * 2);
  bool persian = false;
  std::string latin;  // that a Persian sentence goes on behind: "Python ۳٫۱۲" is no quantity
  for (const ScriptRun& run : split_scripts(text, language)) {
    std::string spoken = fold_characters(run.text, run.language);
    const std::string before = std::exchange(latin, {});
    if (run.language == Language::en) {
      latin = language == Language::fa ? spoken : "";
      spoken = expand_english(spoken);
    }
    if (run.language == Language::fa || language == Language::fa) {
      // Also punctuation of English words.
      spoken = expand_persian(spoken, options.number_vowels, before);
      persian = true;
    }
    words += spoken;
  }
  std::string tidy = tidy_text(words);
  if (persian && options.spelling == SpellingVariants::unify) {
    tidy = unify_persian_spelling(tidy);
  }
  if (persian && options.ezafe == EzafeMarks::add) {
    tidy = mark_ezafe(tidy);
  }
  return tidy;
}

}  // namespace

std::string normalise_text(std::string_view utf8,
                           Language language,
                           const NormaliseOptions& options) {
  std::string spoken = read_text(utf8, language, options);
  // Rules look at what stands beside a word, and putting the words in order changes that: «(/ره)»
  // leaves «(ره)», another short form.
  for (int readings = 1; readings < kMaxReadings && !is_settled(spoken); ++readings) {
    std::string again = read_text(spoken, language, options);
    if (again == spoken) {
      break;
    }
    spoken = std::move(again);
  }
  return spoken;
}

}  // namespace qanat
