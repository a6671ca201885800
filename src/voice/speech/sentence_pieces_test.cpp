#include "speech/sentence_pieces.h"

#include <gmock/gmock.h>

#include "text/text_front_end.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SentencePiecesTest, SentencesAreOnePieceEach) {
  EXPECT_THAT(sentence_pieces("hello there. how are you? fine!", 200),
              ElementsAre("hello there.", "how are you?", "fine!"));
}

TEST(SentencePiecesTest, PersianEndsItsQuestionsItsOwnWay) {
  EXPECT_THAT(sentence_pieces("حال شما چطور است؟ خوبم.", 200),
              ElementsAre("حال شما چطور است؟", "خوبم."));
}

TEST(SentencePiecesTest, QuotesAndBracketsBelongToTheSentenceTheyClose) {
  EXPECT_THAT(sentence_pieces("he said \"stop.\" then (really!) he left.", 200),
              ElementsAre("he said \"stop.\"", "then (really!)", "he left."));
  EXPECT_THAT(sentence_pieces("گفت: «می‌روم.» و رفت.", 200),
              ElementsAre("گفت: «می‌روم.»", "و رفت."));
}

// What a front end has read out: no abbreviations, no figures.
TEST(SentencePiecesTest, AbbreviationsAndNumbersOfBothLanguagesEndNothing) {
  const TextFrontEnd front_end;
  const Result<TextReading> english =
      front_end.read("Dr. Smith paid $3.50 at 5 p.m. He left.", Language::en);
  const Result<TextReading> persian =
      front_end.read("بهای آن ۳٫۵ ریال است. گران نیست.", Language::fa);

  ASSERT_TRUE(english && persian);
  EXPECT_EQ(sentence_pieces(english.value().normalised, 200).front().find("doctor smith paid"), 0U);
  EXPECT_EQ(sentence_pieces(persian.value().normalised, 200).size(), 2U);
}

TEST(SentencePiecesTest, AStopInsideAWordEndsNothing) {
  EXPECT_THAT(sentence_pieces("a.b c", 200), ElementsAre("a.b c"));
}

TEST(SentencePiecesTest, ALongSentenceIsCutBehindItsLastComma) {
  EXPECT_THAT(sentence_pieces("one, two three, four five", 20),
              ElementsAre("one, two three,", "four five"));
}

TEST(SentencePiecesTest, WithoutACommaItIsCutBetweenWords) {
  EXPECT_THAT(sentence_pieces("one two three four", 9), ElementsAre("one two", "three", "four"));
}

TEST(SentencePiecesTest, AWordLongerThanTheLimitIsCut) {
  EXPECT_THAT(sentence_pieces("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
}

TEST(SentencePiecesTest, SpacesAloneAreNothing) {
  EXPECT_THAT(sentence_pieces("  ", 10), IsEmpty());
}

}  // namespace
}  // namespace qanat
