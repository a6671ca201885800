#include <string>

#include <gtest/gtest.h>

#include "text/normalise.h"
#include "text/reading_cases_testing.h"
#include "text/tokenizer.h"
#include "text_cases_folder.h"

namespace qanat {
namespace {

// One test, because each test is a process of its own under ctest. Compares what the tokens say:
// what has no symbol must not be needed to keep words apart.
TEST(EnglishReadingTest, IsAsListed) {
  const Tokenizer tokenizer;
  for (const ReadingCase& listed : read_reading_cases(QANAT_TEXT_CASES "/english.tsv")) {
    const std::string normalised = normalise_text(listed.text, Language::en);

    EXPECT_EQ(tokenizer.decode(tokenizer.encode(normalised, Language::en)), listed.reading)
        << "english.tsv:" << listed.line << ": " << listed.text;
    EXPECT_EQ(normalise_text(normalised, Language::en), normalised)
        << "english.tsv:" << listed.line << ": " << listed.text;
  }
}

}  // namespace
}  // namespace qanat
