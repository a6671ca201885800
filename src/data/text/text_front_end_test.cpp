#include "text/text_front_end.h"

#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "text/fake_espeak.h"

namespace qanat {
namespace {

using namespace std::chrono_literals;

TEST(TextFrontEndTest, ReadsRawTextIntoIds) {
  const TextFrontEnd front_end;

  const TextReading reading = front_end.read("Dr. Who, 5☃", Language::en).value();

  EXPECT_EQ(reading.normalised, "doctor who, five☃");
  EXPECT_EQ(front_end.tokenizer().decode(reading.ids), "doctor who, five");
  EXPECT_THAT(reading.unknown, testing::ElementsAre(UnknownSymbol{"☃", 1}));
  EXPECT_EQ(front_end.tokens("Dr. Who, 5☃", Language::en).value(), reading.ids);
}

TEST(TextFrontEndTest, TextWithoutWordsIsAFailure) {
  const TextFrontEnd front_end;

  EXPECT_FALSE(front_end.tokens("", Language::en));
  EXPECT_FALSE(front_end.tokens(" ... —", Language::fa));
  EXPECT_EQ(front_end.tokens("漢字", Language::en).failure().what,
            "text: nothing to read in \"漢字\"; expected English or Persian words");
}

TEST(TextFrontEndTest, HashIsTheOneFeaturesWereStoredUnder) {
  EXPECT_EQ(TextFrontEnd().hash(), 13838806892480960054U);
}

TEST(TextFrontEndTest, SpellingIsKeptWhenAskedTo) {
  const std::string_view raw = "می روم خانه ی ما";

  EXPECT_EQ(TextFrontEnd().read(raw, Language::fa).value().normalised,
            "می‌روم خانه\u0654 ما");
  EXPECT_EQ(
      TextFrontEnd({.spelling = SpellingVariants::keep}).read(raw, Language::fa).value().normalised,
      raw);
}

TEST(TextFrontEndTest, EzafeIsMarkedWhenAskedTo) {
  const std::string_view raw = "بدون بانک مرکزی";

  EXPECT_EQ(TextFrontEnd().read(raw, Language::fa).value().normalised, raw);
  EXPECT_EQ(TextFrontEnd({.ezafe = EzafeMarks::add}).read(raw, Language::fa).value().normalised,
            "بدون\u0650 بانک\u0650 مرکزی");
}

TEST(TextFrontEndTest, NumbersForPhonemesCarryTheVowelsThatTellThemApart) {
  const std::string program = make_fake_espeak(make_test_folder(), kAnswersEveryLine);
  const TextFrontEnd phonemes({.units = SymbolSet::phonemes, .espeak_program = program});

  const auto read = [&](std::string_view raw) {
    return phonemes.read(raw, Language::fa).value().normalised;
  };

  EXPECT_EQ(read("۹ و ۲۹ و ۱۹، نه"), "ن\u064Fه و بیست و ن\u064Fه و نوزده، نه");
  EXPECT_EQ(read("$0.50"), "پنجاه س\u0650نت");
  EXPECT_EQ(read("۳۰ام"), "سی‌ا\u064Fم");
  EXPECT_EQ(TextFrontEnd().read("۹", Language::fa).value().normalised, "نه");
}

TEST(TextFrontEndTest, HashTellsSettingsApart) {
  const std::string program = make_fake_espeak(make_test_folder(), kAnswersEveryLine);
  const TextConfig phonemes{.units = SymbolSet::phonemes, .espeak_program = program};
  TextConfig unstressed = phonemes;
  unstressed.stress = StressMarks::drop;

  EXPECT_NE(TextFrontEnd({.spelling = SpellingVariants::keep}).hash(), TextFrontEnd().hash());
  EXPECT_NE(TextFrontEnd({.ezafe = EzafeMarks::add}).hash(), TextFrontEnd().hash());
  EXPECT_NE(TextFrontEnd(phonemes).hash(), TextFrontEnd().hash());
  EXPECT_NE(TextFrontEnd(phonemes).hash(), TextFrontEnd(unstressed).hash());
  EXPECT_EQ(TextFrontEnd(phonemes).hash(), TextFrontEnd(phonemes).hash());
}

TEST(TextFrontEndTest, PhonemesWithoutEspeakAreAnError) {
  EXPECT_THROW(TextFrontEnd({.units = SymbolSet::phonemes, .espeak_program = "no-such-espeak"}),
               Error);
}

// With the real program: whatever it prints has to be in the symbol table.
class RealEspeakTest : public testing::TestWithParam<std::pair<Language, std::string>> {
 protected:
  void SetUp() override {
    try {
      front_end_.emplace(TextConfig{.units = SymbolSet::phonemes, .espeak_timeout = 20s});
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::optional<TextFrontEnd> front_end_;
};

TEST_P(RealEspeakTest, PhonemesAreAllKnownAndMarksSurvive) {
  const auto& [language, text] = GetParam();

  const TextReading reading = front_end_->read(text, language).value();

  EXPECT_TRUE(reading.unknown.empty()) << reading.unknown.front().symbol;
  EXPECT_EQ(front_end_->tokenizer().decode(reading.ids), reading.phonemes);
  EXPECT_THAT(reading.phonemes, testing::HasSubstr(language == Language::en ? ", " : "، "));
}

INSTANTIATE_TEST_SUITE_P(
    TextFrontEndTest,
    RealEspeakTest,
    testing::Values(
        std::pair{Language::en,
                  std::string("The quick brown fox jumps over the lazy dog, doesn't it? Judge my "
                              "vow, thick sphinx of azure quartz; Bach's loch, button, little.")},
        std::pair{
            Language::fa,
            std::string(
                "قلب من، سلام! مسأله و سؤال، ژاله چای پخت؛ غذا ضبط صوت ظهر ثابت عمق گل حوض ذرت طاق را "
                "در hello world گذاشت.")}),
    [](const auto& tested) { return std::string(to_string(tested.param.first)); });

}  // namespace
}  // namespace qanat
