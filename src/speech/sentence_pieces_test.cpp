#include "speech/sentence_pieces.h"

#include <gmock/gmock.h>

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
