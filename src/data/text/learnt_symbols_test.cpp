#include "text/learnt_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/tokenizer.h"

namespace qanat {
namespace {

using testing::ElementsAre;

LanguageTag named(std::string_view name) {
  return to_language_tag(name).value();
}

LearntSymbols learnt_from(std::string_view text, std::string_view language) {
  SymbolCollector collector(SymbolSet::characters);
  collector.add(text, named(language));
  return collector.learnt({});
}

TEST(LearntSymbolsTest, AreLanguagesThenCharactersEachSorted) {
  SymbolCollector collector(SymbolSet::characters);
  collector.add("öä", named("de"));
  collector.add("яб", named("ru"));

  EXPECT_THAT(collector.learnt({}).added, ElementsAre("[de]", "[ru]", "ä", "ö", "б", "я"));
}

TEST(LearntSymbolsTest, WhatIsNewComesBehindWhatWasKnown) {
  const LearntSymbols known = learnt_from("ö", "de");
  SymbolCollector collector(SymbolSet::characters);
  collector.add("äö", named("cs"));

  EXPECT_THAT(collector.learnt(known).added, ElementsAre("[de]", "ö", "[cs]", "ä"));
}

TEST(LearntSymbolsTest, EnglishAndPersianAddNothing) {
  SymbolCollector collector(SymbolSet::characters);
  collector.add("hello", Language::en);

  EXPECT_EQ(collector.learnt({}), LearntSymbols{});
}

TEST(LearntSymbolsTest, LettersNoTextHadAreNotTakenForLearnt) {
  const Tokenizer tokenizer(SymbolSet::characters, learnt_from("привет", "ru"));

  EXPECT_THAT(tokenizer.unknown_symbols("привет z", named("ru")), ElementsAre("z"));
  EXPECT_THAT(tokenizer.unknown_symbols("z", Language::en), ElementsAre());
}

TEST(LearntSymbolsTest, ListsFromOutsideAreChecked) {
  EXPECT_TRUE(check_learnt({.added = {"[de]", "ä"}}, SymbolSet::characters));
  EXPECT_FALSE(check_learnt({.added = {"ä", "ä"}}, SymbolSet::characters));
  EXPECT_FALSE(check_learnt({.added = {"a"}}, SymbolSet::characters));
  EXPECT_FALSE(check_learnt({.added = {"äö"}}, SymbolSet::characters));
  EXPECT_FALSE(check_learnt({.added = {""}}, SymbolSet::characters));
  EXPECT_FALSE(check_learnt({.added = {"\xFF"}}, SymbolSet::characters));
  EXPECT_FALSE(check_learnt({.added = {"[en]"}}, SymbolSet::characters));
  EXPECT_FALSE(check_learnt({.added = {}, .unused = U"я"}, SymbolSet::characters));
}

TEST(TokenizerLearntTest, IdsStandBehindTheBuiltInTable) {
  const Tokenizer plain(SymbolSet::characters);
  const Tokenizer tokenizer(SymbolSet::characters, learnt_from("das ist schön", "de"));
  const TokenIds ids = tokenizer.encode("schön", named("de"));

  EXPECT_EQ(ids.front(), plain.size());
  EXPECT_EQ(tokenizer.symbol(ids.front()), "[de]");
  EXPECT_EQ(tokenizer.decode(ids), "schön");
  EXPECT_EQ(tokenizer.size(), plain.size() + 2);
}

TEST(TokenizerLearntTest, EnglishIdsAreTheSameWhateverElseWasLearnt) {
  const Tokenizer plain(SymbolSet::characters);
  const Tokenizer tokenizer(SymbolSet::characters, learnt_from("schön naïve", "de"));

  EXPECT_EQ(tokenizer.encode("a naïve word", Language::en),
            plain.encode("a naïve word", Language::en));
  EXPECT_EQ(plain.hash(), Tokenizer(SymbolSet::characters, LearntSymbols{}).hash());
  EXPECT_NE(plain.hash(), tokenizer.hash());
}

}  // namespace
}  // namespace qanat
