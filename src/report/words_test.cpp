#include "report/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/persian.h"

namespace qanat {
namespace {

const Words kPersian(Language::fa);

TEST(WordsTest, EnglishIsWhatTheCodeSays) {
  EXPECT_EQ(Words().say("Where a step goes"), "Where a step goes");
  EXPECT_EQ(Words().percent(0.123), "12.3 %");
  EXPECT_EQ(Words().duration(Seconds{0.01}), "10 ms");
  EXPECT_EQ(Words().duration(Seconds{90}), "90 s");
  EXPECT_EQ(Words().bytes(3.5 * 1024 * 1024), "3.5 MiB");
}

TEST(WordsTest, PersianNumbersHavePersianDigitsAndSigns) {
  EXPECT_EQ(kPersian.count(1'234'567), "۱٬۲۳۴٬۵۶۷");
  EXPECT_EQ(kPersian.number(12.5, 1), "۱۲٫۵");
  EXPECT_EQ(kPersian.percent(0.5, 0), "۵۰٪");
}

TEST(WordsTest, LatinPartsAreIsolated) {
  EXPECT_EQ(kPersian.verbatim("--num-workers 3"), "\u2068--num-workers 3\u2069");
}

TEST(WordsTest, WhatTheCatalogueDoesNotKnowStaysEnglishAndIsolated) {
  EXPECT_EQ(kPersian.say("no such sentence"), "\u2068no such sentence\u2069");
}

TEST(WordsTest, UnknownNumbersSaySo) {
  EXPECT_EQ(Words().number(std::numeric_limits<double>::quiet_NaN(), 1), "unknown");
}

}  // namespace
}  // namespace qanat
