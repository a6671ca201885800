#include "evaluate/word_errors.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

using Words = std::vector<std::string>;

TEST(WordErrorsTest, CaseMarksAndNumbersMakeNoDifference) {
  EXPECT_EQ(spoken_words("Well -- \"Don't\" print 42, please!", Language::en),
            (Words{"well", "don't", "print", "forty", "two", "please"}));
  EXPECT_EQ(spoken_words("well don't print forty-two please", Language::en),
            (Words{"well", "don't", "print", "forty", "two", "please"}));
}

TEST(WordErrorsTest, PersianWordsKeepTheirLettersAndLoseTheirMarks) {
  EXPECT_EQ(spoken_words("سلام، «دنیا»؟", Language::fa), (Words{"سلام", "دنیا"}));
}

TEST(WordErrorsTest, EqualWordsHaveNoErrors) {
  EXPECT_EQ(count_word_errors({"a", "b"}, {"a", "b"}), (WordErrors{.errors = 0, .words = 2}));
}

TEST(WordErrorsTest, WrongMissingAndAddedWordsCountOneEach) {
  EXPECT_EQ(count_word_errors({"a", "b", "c"}, {"a", "x", "c"}).errors, 1U);
  EXPECT_EQ(count_word_errors({"a", "b", "c"}, {"a", "c"}).errors, 1U);
  EXPECT_EQ(count_word_errors({"a", "b", "c"}, {"a", "b", "b", "c"}).errors, 1U);
  EXPECT_EQ(count_word_errors({"a", "b", "c"}, {}).errors, 3U);
  EXPECT_EQ(count_word_errors({}, {"a"}), (WordErrors{.errors = 1, .words = 0}));
}

TEST(WordErrorsTest, TheFewestEditsCount) {
  EXPECT_EQ(count_word_errors({"the", "cat", "sat", "down"}, {"cat", "sat", "up", "down"}).errors,
            2U);
}

}  // namespace
}  // namespace qanat
