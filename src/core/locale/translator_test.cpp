#include "locale/translator.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/messages/units.h"

namespace qanat {
namespace {

using testing::IsEmpty;

const Translator kEnglish;
const Translator kPersian(Language::fa);

constexpr MessageText kWorkers{
    MessageId{1},
    "workers",
    {Sentence{"{0} worker", "{0} workers"}, Sentence{"{0} worker", "{0} worker"}}};

MessageText same_in_both(std::string_view english, std::string_view persian) {
  return {MessageId{1}, "sentence", {Sentence{english, english}, Sentence{persian, persian}}};
}

TEST(TranslatorTest, EverySentenceHasItsPersian) {
  std::vector<std::string_view> without;
  for (const MessageText& text : message_texts().subspan(1)) {  // the first says nothing
    if (text.sentences[static_cast<std::size_t>(Language::fa)].other.empty()) {
      without.push_back(text.name);
    }
  }

  EXPECT_THAT(without, IsEmpty());
}

TEST(TranslatorTest, GapsAreFilledInTheOrderOfTheLanguage) {
  const MessageText text = same_in_both("{0} of {1} steps", "از {1} گام، {0}");

  EXPECT_EQ(kEnglish.tr(text, {3, 1234}), "3 of 1,234 steps");
  EXPECT_EQ(kPersian.tr(text, {3, 1234}), "از ۱٬۲۳۴ گام، ۳");
}

TEST(TranslatorTest, TheFirstGapChoosesTheForm) {
  EXPECT_EQ(kEnglish.tr(kWorkers, {1}), "1 worker");
  EXPECT_EQ(kEnglish.tr(kWorkers, {2}), "2 workers");
  EXPECT_EQ(kEnglish.tr(kWorkers, {Quantity{.value = 1, .unit = Unit::count}}), "1 worker");
  EXPECT_EQ(kPersian.tr(kWorkers, {2}), "۲ worker");
}

TEST(TranslatorTest, NamesAreNeverTranslatedAndKeepTheirDirection) {
  const MessageText text = same_in_both("try {0}", "{0} را بیازمایید");

  EXPECT_EQ(kEnglish.tr(text, {"--num-workers 3"}), "try --num-workers 3");
  EXPECT_EQ(kPersian.tr(text, {"--num-workers 3"}), "\u2068--num-workers 3\u2069 را بیازمایید");
}

TEST(TranslatorTest, CodeKeepsItsTicksItsDirectionAndItsDigits) {
  const MessageText text = same_in_both("see `qanat rules {0}`", "`qanat rules {0}` را ببینید");

  EXPECT_EQ(kEnglish.tr(text, {"DL002"}), "see `qanat rules DL002`");
  EXPECT_EQ(kPersian.tr(text, {"DL002"}), "\u2068`qanat rules DL002`\u2069 را ببینید");
  EXPECT_EQ(kPersian.tr(text, {12}), "\u2068`qanat rules 12`\u2069 را ببینید");
}

TEST(TranslatorTest, ListsAreJoinedWithTheCommaOfTheLanguage) {
  const MessageText text = same_in_both("no {0}", "بدون {0}");
  const MessageArg::List list{"host", 3};

  EXPECT_EQ(kEnglish.tr(text, {MessageArg(list)}), "no host, 3");
  EXPECT_EQ(kPersian.tr(text, {MessageArg(list)}), "بدون \u2068host\u2069، ۳");
}

TEST(TranslatorTest, MessagesStandInsideMessages) {
  const MessageText text = same_in_both("value: {0}", "مقدار: {0}");
  const Message inner = msg::unit_per_second{.value = 12};

  EXPECT_EQ(kEnglish.tr(text, {inner}), "value: 12/s");
  EXPECT_EQ(kPersian.tr(text, {msg::unit_per_second{.value = 12}}), "مقدار: ۱۲ در ثانیه");
}

TEST(TranslatorTest, DoubledBracesStay) {
  EXPECT_EQ(kEnglish.tr(same_in_both("{{{0}}}", ""), {7}), "{7}");
}

TEST(TranslatorTest, WhatHasNoPersianComesInEnglishIsolated) {
  EXPECT_EQ(kPersian.tr(same_in_both("no Persian, {0}", ""), {12}), "\u2068no Persian, 12\u2069");
}

TEST(TranslatorTest, QuantitiesCarryTheirUnit) {
  EXPECT_EQ(kEnglish.quantity(in_percent(0.123)), "12 %");
  EXPECT_EQ(kEnglish.quantity(in_percent(0.123, 1)), "12.3 %");
  EXPECT_EQ(kEnglish.quantity(times(1.2)), "1.20x");
  EXPECT_EQ(kEnglish.quantity(in_seconds(0.0123)), "12.3 ms");
  EXPECT_EQ(kEnglish.quantity(in_seconds(0.12, 1)), "120.0 ms");
  EXPECT_EQ(kEnglish.quantity(in_bytes_per_second(12.5e6)), "12.5 MB/s");
  EXPECT_EQ(kEnglish.quantity(plain(2, 1)), "2.0");
  EXPECT_EQ(kEnglish.quantity({.value = 22050, .unit = Unit::hertz}), "22050 Hz");
  EXPECT_EQ(kEnglish.quantity({.value = 1, .unit = Unit::cores}), "1 core");
  EXPECT_EQ(kEnglish.quantity({.value = 2.5, .unit = Unit::cores}), "2.5 cores");
  EXPECT_EQ(kPersian.quantity(in_percent(0.5)), "۵۰٪");
  EXPECT_EQ(kPersian.quantity(times(1.2)), "۱٫۲۰ برابر");
}

TEST(TranslatorTest, DurationsAndSizesTakeTheUnitThatFits) {
  EXPECT_EQ(kEnglish.percent(0.123), "12.3 %");
  EXPECT_EQ(kEnglish.duration(Seconds{0.01}), "10 ms");
  EXPECT_EQ(kEnglish.duration(Seconds{90}), "90 s");
  EXPECT_EQ(kEnglish.bytes(3.5 * 1024 * 1024), "3.5 MiB");
  EXPECT_EQ(kPersian.duration(Seconds{180}), "۳ دقیقه");
  EXPECT_EQ(kPersian.tick(Seconds{180}), "۳ min");
}

TEST(TranslatorTest, PersianNumbersHavePersianDigitsAndSigns) {
  EXPECT_EQ(kPersian.count(1'234'567), "۱٬۲۳۴٬۵۶۷");
  EXPECT_EQ(kPersian.number(12.5, 1), "۱۲٫۵");
  EXPECT_EQ(kPersian.percent(0.5, 0), "۵۰٪");
}

TEST(TranslatorTest, MomentsAreWrittenAsOnClocks) {
  EXPECT_EQ(kEnglish.clock(Seconds{238}), "3:58");
  EXPECT_EQ(kEnglish.clock(Seconds{3838}), "1:03:58");
  EXPECT_EQ(kEnglish.clock(Seconds{230.5}), "3:50.5");
  EXPECT_EQ(kPersian.clock(Seconds{238}), "۳:۵۸");
}

TEST(TranslatorTest, UnknownNumbersSaySo) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(kEnglish.number(unknown, 1), "unknown");
  EXPECT_EQ(kPersian.quantity({.value = unknown, .unit = Unit::count}), "نامعلوم");
}

TEST(MessageTest, AMessageThatIsNotGivenSaysNothing) {
  EXPECT_FALSE(Message{});
  EXPECT_TRUE(Message(msg::unit_seconds{}));
  EXPECT_EQ(kEnglish.tr(Message{}), "");
  EXPECT_EQ(kPersian.tr(Message{}), "");
}

TEST(MessageTest, MessagesAreEqualWhenTheySayTheSame) {
  const Message twelve = msg::unit_per_second{.value = 12};

  EXPECT_EQ(twelve, Message(msg::unit_per_second{.value = 12}));
  EXPECT_NE(twelve, Message(msg::unit_per_second{.value = 13}));
  EXPECT_NE(twelve, Message(msg::unit_ratio{.value = 12}));
}

// A number without a unit, a truth value or a gap that is left out would be a slip.
static_assert(!std::is_constructible_v<MessageArg, double>);
static_assert(!std::is_constructible_v<MessageArg, bool>);
static_assert(!std::is_default_constructible_v<MessageArg>);

}  // namespace
}  // namespace qanat
