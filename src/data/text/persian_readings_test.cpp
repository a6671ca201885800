#include <string>

#include <gtest/gtest.h>

#include "text/normalise.h"
#include "text/reading_cases_testing.h"
#include "text/tokenizer.h"
#include "text_cases_folder.h"

namespace qanat {
namespace {

// What a model of characters is given for a sentence.
std::string heard(const std::string& text) {
  const Tokenizer tokenizer;
  return tokenizer.decode(tokenizer.encode(normalise_text(text, Language::fa), Language::fa));
}

TEST(PersianReadingsTest, EverySentenceIsReadAsItIsSpoken) {
  for (const ReadingCase& one : read_reading_cases(QANAT_TEXT_CASES "/persian.tsv")) {
    EXPECT_EQ(heard(one.text), one.reading) << "line " << one.line << ": " << one.text;
  }
}

TEST(PersianReadingsTest, EveryReadingIsReadAsItself) {
  for (const ReadingCase& one : read_reading_cases(QANAT_TEXT_CASES "/persian.tsv")) {
    EXPECT_EQ(heard(one.reading), one.reading) << "line " << one.line;
  }
}

}  // namespace
}  // namespace qanat
