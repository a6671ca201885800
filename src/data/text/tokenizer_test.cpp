#include "text/tokenizer.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;

TEST(TokenizerTest, TagsTheLanguageAndFramesWithSilence) {
  const Tokenizer tokenizer;

  const TokenIds ids = tokenizer.encode("hi", Language::en);

  ASSERT_EQ(ids.size(), 5U);
  EXPECT_EQ(tokenizer.symbol(ids[0]), "[en]");
  EXPECT_EQ(tokenizer.symbol(ids[1]), "[sil]");
  EXPECT_EQ(tokenizer.symbol(ids[2]), "h");
  EXPECT_EQ(tokenizer.symbol(ids[3]), "i");
  EXPECT_EQ(tokenizer.symbol(ids[4]), "[sil]");
  EXPECT_EQ(tokenizer.symbol(tokenizer.encode("", Language::fa)[0]), "[fa]");
}

TEST(TokenizerTest, PadIsZeroAndNeverProduced) {
  const Tokenizer tokenizer;

  EXPECT_EQ(tokenizer.pad(), 0);
  EXPECT_THAT(tokenizer.encode("a b, c — می‌روم", Language::fa),
              testing::Each(testing::Ne(0)));
}

TEST(TokenizerTest, ZwnjAndPunctuationAreTokens) {
  const Tokenizer tokenizer;

  EXPECT_EQ(tokenizer.encode("می‌روم؟", Language::fa).size(), 3 + 7U);
}

TEST(TokenizerTest, DecodingUndoesEncoding) {
  const Tokenizer tokenizer;
  const std::string text = "don't — \"stop\" (now)… «می‌روم»، خانهٔ ما؟";

  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, Language::fa)), text);
}

TEST(TokenizerTest, UnknownSymbolsAreLeftOutAndListed) {
  const Tokenizer tokenizer;

  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a☃b5☃", Language::en)), "a b");
  EXPECT_THAT(tokenizer.unknown_symbols("a☃b5☃"), ElementsAre("☃", "5"));
  EXPECT_THAT(tokenizer.count_unknown_symbols("a☃b5☃"),
              ElementsAre(UnknownSymbol{"☃", 2}, UnknownSymbol{"5", 1}));
}

TEST(TokenizerTest, WhatIsLeftOutLeavesNoSpaceBehind) {
  const Tokenizer tokenizer;

  EXPECT_EQ(tokenizer.decode(tokenizer.encode("☃ a ☃ b ☃", Language::en)), "a b");
}

TEST(TokenizerTest, AnIdOfNoSymbolIsVisible) {
  const Tokenizer tokenizer;

  EXPECT_EQ(tokenizer.symbol(-1), "\uFFFD");
  EXPECT_EQ(tokenizer.symbol(tokenizer.size()), "\uFFFD");
  EXPECT_EQ(tokenizer.decode(TokenIds{-1, 100'000}), "\uFFFD\uFFFD");
}

class SymbolSetTest : public testing::TestWithParam<SymbolSet> {};

TEST_P(SymbolSetTest, HasUniqueSymbolsThatFitAByte) {
  const Tokenizer tokenizer(GetParam());
  std::set<std::string> symbols;
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    symbols.insert(tokenizer.symbol(id));
  }

  EXPECT_EQ(symbols.size(), static_cast<std::size_t>(tokenizer.size()));
  EXPECT_LE(tokenizer.size(), 256);
}

INSTANTIATE_TEST_SUITE_P(TokenizerTest,
                         SymbolSetTest,
                         testing::Values(SymbolSet::characters, SymbolSet::phonemes),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

// Checkpoints and precomputed features carry these: if one of them changes, raise
// kSymbolTableVersion and say so in the changelog.
TEST(TokenizerTest, TablesAreTheOnesModelsWereTrainedWith) {
  EXPECT_EQ(Tokenizer(SymbolSet::characters).size(), 97);
  EXPECT_EQ(Tokenizer(SymbolSet::characters).hash(), 10675690846951326976U);
  EXPECT_EQ(Tokenizer(SymbolSet::phonemes).size(), 133);
  EXPECT_EQ(Tokenizer(SymbolSet::phonemes).hash(), 1113298751877421575U);
}

TEST(TokenizerTest, IdsAreTheOnesModelsWereTrainedWith) {
  const Tokenizer tokenizer;

  EXPECT_THAT(tokenizer.encode("az", Language::en), ElementsAre(2, 1, 23, 48, 1));
}

TEST(TokenizerTest, UnknownSymbolsPartWordsAndCombiningMarksDoNot) {
  const Tokenizer tokenizer;

  EXPECT_EQ(tokenizer.decode(tokenizer.encode("سلام😊خوبی", Language::fa)), "سلام خوبی");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("ق\u06DFل", Language::fa)), "قل");
}

}  // namespace
}  // namespace qanat
