#include "speech/text_grid.h"

#include <gmock/gmock.h>

namespace qanat {
namespace {

using testing::HasSubstr;

TEST(TextGridTest, IsWhatPraatReads) {
  const std::vector<GridTier> tiers = {
      {.name = "words", .intervals = {{.begin = 0, .end = 0.5, .label = "سلام"}}},
      {.name = "tokens", .intervals = {{.begin = 0, .end = 0.5, .label = "say \"a\""}}}};

  const std::string grid = to_text_grid(tiers, 0.5);

  EXPECT_THAT(grid,
              testing::StartsWith("File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n"));
  EXPECT_THAT(grid, HasSubstr("xmax = 0.500000\ntiers? <exists>\nsize = 2\n"));
  EXPECT_THAT(grid, HasSubstr("text = \"سلام\"\n"));
  EXPECT_THAT(grid, HasSubstr("text = \"say \"\"a\"\"\"\n"));
}

class TokenTimesTest : public testing::Test {
 protected:
  TokenTimes times(const std::string& text) {
    tokens_ = tokenizer_.encode(text, Language::en);
    frames_.assign(tokens_.size(), 2);
    return {.tokens = tokens_, .frames = frames_, .frame_s = 0.5};
  }

  Tokenizer tokenizer_;
  TokenIds tokens_;
  std::vector<std::int64_t> frames_;
};

TEST_F(TokenTimesTest, EveryTokenHasItsTime) {
  const std::vector<GridInterval> tokens = token_intervals(times("hi"), tokenizer_);

  ASSERT_EQ(tokens.size(), 5);  // [en] [sil] h i [sil]
  EXPECT_EQ(tokens[2], (GridInterval{.begin = 2, .end = 3, .label = "h"}));
  EXPECT_EQ(tokens[4].end, 5);
}

TEST_F(TokenTimesTest, WordsAreApartFromWhatIsBetweenThem) {
  const std::vector<GridInterval> words = word_intervals(times("hi, you."), tokenizer_);

  ASSERT_EQ(words.size(), 5);
  EXPECT_EQ(words[0].label, "");
  EXPECT_EQ(words[1], (GridInterval{.begin = 2, .end = 4, .label = "hi"}));
  EXPECT_EQ(words[2], (GridInterval{.begin = 4, .end = 6, .label = ""}));
  EXPECT_EQ(words[3].label, "you");
  EXPECT_EQ(words[4].label, "");
}

}  // namespace
}  // namespace qanat
