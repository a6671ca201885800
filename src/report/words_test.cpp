#include "report/words.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/persian.h"

namespace qanat {
namespace {

const Words kPersianWords(Language::fa);

TEST(WordsTest, EnglishIsWhatTheCodeSays) {
  EXPECT_EQ(Words().say("Where a step goes"), "Where a step goes");
}

TEST(WordsTest, WhatTheCatalogueDoesNotKnowStaysEnglishAndIsolated) {
  EXPECT_EQ(kPersianWords.say("no such sentence"), "\u2068no such sentence\u2069");
}

std::size_t gaps_in(std::string_view text) {
  std::size_t gaps = 0;
  for (std::size_t at = text.find("{}"); at != std::string_view::npos;
       at = text.find("{}", at + 2)) {
    ++gaps;
  }
  return gaps;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

std::vector<Translation> all_sentences() {
  std::vector<Translation> all;
  for (const auto sentences : {persian_host_sentences(),
                               persian_page_sentences(),
                               persian_profile_sentences(),
                               persian_dataset_sentences(),
                               persian_validation_sentences()}) {
    all.insert(all.end(), sentences.begin(), sentences.end());
  }
  return all;
}

TEST(PersianTest, EverySentenceHasItsGapsAndClosedIsolates) {
  std::set<std::string_view> seen;
  for (const Translation& sentence : all_sentences()) {
    EXPECT_EQ(gaps_in(sentence.english), gaps_in(sentence.persian)) << sentence.english;
    EXPECT_EQ(count_of(sentence.persian, "\u2068"), count_of(sentence.persian, "\u2069"))
        << sentence.english;
    EXPECT_TRUE(seen.insert(sentence.english).second) << "twice: " << sentence.english;
  }
}

TEST(PersianTest, NamesAreNotTranslatedWhateverTheySay) {
  EXPECT_THAT(to_persian("audio: train; no such file; tried .wav, .flac, .ogg and .mp3"),
              testing::StartsWith("صوت: \u2068train\u2069؛ چنین فایلی نیست"));
}

TEST(PersianTest, MinutesAreNoMinimum) {
  EXPECT_EQ(to_persian("12 utterances, 3.69 min"), "۱۲ گفته، ۳٫۶۹ دقیقه");
}

}  // namespace
}  // namespace qanat
