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

// Tokens part words at what has no symbol; what espeak-ng and read_aloud() get has to be parted,
// too.
TEST(PersianReadingsTest, SignsWithoutASoundStandNextToSpaces) {
  const Tokenizer tokenizer;
  for (const ReadingCase& one : read_reading_cases(QANAT_TEXT_CASES "/persian.tsv")) {
    const std::string text = normalise_text(one.text, Language::fa);
    std::string spoken = text;
    for (const std::string& sign : tokenizer.unknown_symbols(text)) {
      for (std::size_t at = spoken.find(sign); at != std::string::npos; at = spoken.find(sign)) {
        spoken.erase(at, sign.size());
      }
    }
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(spoken, Language::fa)), one.reading)
        << "line " << one.line << ": " << text;
  }
}

TEST(PersianReadingsTest, EveryReadingIsReadAsItself) {
  for (const ReadingCase& one : read_reading_cases(QANAT_TEXT_CASES "/persian.tsv")) {
    EXPECT_EQ(heard(one.reading), one.reading) << "line " << one.line;
  }
}

}  // namespace
}  // namespace qanat
