#include "text/word_index.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "text/word_list.h"

namespace qanat {
namespace {

constexpr std::array kWords = word_list<6>("a st st می‌روم ها های");
constexpr WordIndex kIndex(kWords);

TEST(WordIndexTest, FindsTheFirstRowOfEveryWord) {
  EXPECT_EQ(kIndex.find("a"), 0U);
  EXPECT_EQ(kIndex.find("st"), 1U);
  EXPECT_EQ(kIndex.find("می‌روم"), 3U);
  EXPECT_EQ(kIndex.find("های"), 5U);
}

TEST(WordIndexTest, OtherWordsAreNotThere) {
  EXPECT_FALSE(kIndex.contains(""));
  EXPECT_FALSE(kIndex.contains("b"));
  EXPECT_FALSE(kIndex.contains("sta"));
  EXPECT_FALSE(kIndex.contains("هایی"));
  EXPECT_FALSE(kIndex.contains("a word longer than all of them"));
}

TEST(WordIndexTest, EveryRowOfAWordIsACandidateInItsOrder) {
  std::vector<std::size_t> rows;
  for (const std::uint16_t row : kIndex.candidates("st")) {
    if (kWords[row] == "st") {
      rows.push_back(row);
    }
  }

  EXPECT_EQ(rows, (std::vector<std::size_t>{1, 2}));
}

}  // namespace
}  // namespace qanat
