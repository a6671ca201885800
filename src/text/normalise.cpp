#include "text/normalise.h"

#include "base/utf8.h"
#include "text/english.h"
#include "text/fold.h"
#include "text/persian.h"
#include "text/script_runs.h"
#include "text/tidy.h"

namespace qanat {

std::string normalise_text(std::string_view utf8, Language language) {
  const std::u32string text = drop_invisible(decode_utf8(utf8), language);
  std::string words;
  words.reserve(utf8.size() * 2);
  for (const ScriptRun& run : split_scripts(text, language)) {
    std::string spoken = fold_characters(run.text, run.language);
    if (run.language == Language::en) {
      spoken = expand_english(spoken);
    }
    if (run.language == Language::fa || language == Language::fa) {
      spoken = expand_persian(spoken);  // also gives English words the sentence's punctuation
    }
    words += spoken;
  }
  return tidy_text(words);
}

}  // namespace qanat
