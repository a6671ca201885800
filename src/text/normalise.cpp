#include "text/normalise.h"

#include "base/utf8.h"
#include "text/english.h"
#include "text/fold.h"
#include "text/persian.h"
#include "text/persian_ezafe.h"
#include "text/persian_spelling.h"
#include "text/script_runs.h"
#include "text/tidy.h"

namespace qanat {

std::string normalise_text(std::string_view utf8,
                           Language language,
                           const NormaliseOptions& options) {
  const std::u32string text = drop_invisible(decode_utf8(utf8), language);
  std::string words;
  words.reserve(utf8.size() * 2);
  bool persian = false;
  for (const ScriptRun& run : split_scripts(text, language)) {
    std::string spoken = fold_characters(run.text, run.language);
    if (run.language == Language::en) {
      spoken = expand_english(spoken);
    }
    if (run.language == Language::fa || language == Language::fa) {
      spoken = expand_persian(spoken, options.number_vowels);  // also punctuation of English words
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

}  // namespace qanat
