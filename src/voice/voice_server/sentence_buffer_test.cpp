#include "voice_server/sentence_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;

// Everything, one code unit at a time or at once: the sentences must be the same.
std::vector<std::string> sentences_of(const std::string& text, bool bytewise) {
  SentenceBuffer buffer;
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& part) {
    for (std::string& one : buffer.add(part)) {
      sentences.push_back(std::move(one));
    }
  };
  if (bytewise) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        ++end;
      }
      add(text.substr(at, end - at));
      at = end;
    }
  } else {
    add(text);
  }
  if (std::optional<std::string> rest = buffer.finish()) {
    sentences.push_back(*std::move(rest));
  }
  return sentences;
}

struct SplitText {
  std::string text;
  std::vector<std::string> sentences;
};
class SentenceBufferTest : public testing::TestWithParam<SplitText> {};

TEST_P(SentenceBufferTest, SplitsAtSentences) {
  EXPECT_EQ(sentences_of(GetParam().text, false), GetParam().sentences);
  EXPECT_EQ(sentences_of(GetParam().text, true), GetParam().sentences);
}

INSTANTIATE_TEST_SUITE_P(
    English,
    SentenceBufferTest,
    testing::Values(
        SplitText{"One. Two! Three?", {"One.", "Two!", "Three?"}},
        SplitText{"Dr. Smith paid $3.50 to Mr. J. Brown. He left.",
                  {"Dr. Smith paid $3.50 to Mr. J. Brown.", "He left."}},
        SplitText{"He said \"Stop.\" Then he left.", {"He said \"Stop.\"", "Then he left."}},
        SplitText{"It works (really!). Yes.", {"It works (really!).", "Yes."}},
        SplitText{"Apples, pears, e.g. plums. Enough.", {"Apples, pears, e.g. plums.", "Enough."}},
        SplitText{"Version 2.0.1 is out... Try it.", {"Version 2.0.1 is out...", "Try it."}},
        SplitText{"First line\nSecond line", {"First line", "Second line"}},
        SplitText{"So am I. You too.", {"So am I.", "You too."}},
        SplitText{" \n ", {}}));
INSTANTIATE_TEST_SUITE_P(
    Persian,
    SentenceBufferTest,
    testing::Values(
        SplitText{"سلام. حالت چطور است؟ خوبم!", {"سلام.", "حالت چطور است؟", "خوبم!"}},
        SplitText{"گفت: «می‌روم.» و رفت.",
                  {"گفت: «می‌روم.»", "و رفت."}},
        SplitText{"بهای آن ۳.۵ ریال است. گران نیست.", {"بهای آن ۳.۵ ریال است.", "گران نیست."}},
        SplitText{"در سال ۵۰۰ ق.م. ساخته شد. آب آورد.", {"در سال ۵۰۰ ق.م. ساخته شد.", "آب آورد."}},
        SplitText{"نمی‌دانم… شاید. کتاب‌ها را ببین.",
                  {"نمی‌دانم…", "شاید.", "کتاب‌ها را ببین."}}));

TEST(SentenceBufferPartsTest, HandsOnASentenceOnlyWhenItsEndIsCertain) {
  SentenceBuffer buffer;

  EXPECT_THAT(buffer.add("I met Dr."), ElementsAre());
  EXPECT_THAT(buffer.add(" Brown. "), ElementsAre());
  EXPECT_THAT(buffer.add("He"), ElementsAre("I met Dr. Brown."));
}

}  // namespace
}  // namespace qanat
