// TextFrontEnd with languages that have no reader.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "locale/message_error.h"
#include "text/fake_espeak.h"
#include "text/text_front_end.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const LanguageTag kGerman = *to_language_tag("de");

// An espeak-ng that knows German, says each line in angle brackets and keeps a log of it.
std::string make_german_espeak(const std::filesystem::path& folder) {
  const std::string log = (folder / "asked").string();
  return make_fake_espeak(
      folder,
      "if [ \"$1\" = --voices ]; then printf 'Pty Language\\n 5  de  --/M  German\\n'; exit; fi\n"
      "echo \"start $7\" >> '" +
          log +
          "'\n"
          "while read -r l; do echo \"$l\" >> '" +
          log + "'; echo \"<$l>\"; done");
}

std::vector<TextRow> german_rows() {
  return {{.text = "Schöne Grüße", .language = kGerman}, {.text = "Ja, gut.", .language = kGerman}};
}

TEST(OtherLanguagesTest, LettersAreLearntFromTheTexts) {
  TextFrontEnd front_end;
  front_end.learn(german_rows(), {});

  const Result<TextReading> reading = front_end.read("Grüße", kGerman);

  ASSERT_TRUE(reading) << reading.failure().what;
  EXPECT_EQ(reading.value().normalised, "grüße");
  EXPECT_THAT(reading.value().unknown, IsEmpty());
  EXPECT_EQ(front_end.tokenizer().decode(reading.value().ids), "grüße");
}

TEST(OtherLanguagesTest, ALanguageThatWasNotLearntIsAFailureThatNamesThoseThatWere) {
  TextFrontEnd front_end;
  front_end.learn(german_rows(), {});

  const Result<TextReading> reading = front_end.read("Bonjour", *to_language_tag("fr"));

  ASSERT_FALSE(reading);
  EXPECT_THAT(reading.failure().what, HasSubstr("en, fa, de"));
}

TEST(OtherLanguagesTest, WhatIsLearntDoesNotMoveEnglish) {
  TextFrontEnd learnt;
  const TextFrontEnd plain;
  learnt.learn(german_rows(), {});

  EXPECT_EQ(learnt.tokens("A naïve word, 12 %.", Language::en).value(),
            plain.tokens("A naïve word, 12 %.", Language::en).value());
  EXPECT_EQ(learnt.reading_hash(), plain.hash());
  EXPECT_NE(learnt.hash(), plain.hash());
}

TEST(OtherLanguagesTest, EnglishAndPersianTeachNothing) {
  TextFrontEnd front_end;
  const std::vector<TextRow> rows = {{.text = "Привет", .language = Language::en}};

  EXPECT_EQ(front_end.learn(rows, {}), 0U);
  EXPECT_EQ(front_end.hash(), TextFrontEnd().hash());
}

TEST(OtherLanguagesTest, LengthsCountWhatIsNotKnown) {
  TextFrontEnd front_end;
  front_end.learn(german_rows(), {});

  EXPECT_EQ(front_end.count_tokens("señor", kGerman).value(), 8);  // tag, silences, five letters
}

TEST(OtherLanguagesTest, PhonemesAreWhatEspeakSaysNumbersIncluded) {
  TextFrontEnd front_end(
      {.units = SymbolSet::phonemes, .espeak_program = make_german_espeak(make_test_folder())});
  const std::vector<TextRow> rows = {{.text = "12 Äpfel, ja.", .language = kGerman}};
  front_end.learn(rows, {});

  EXPECT_EQ(front_end.read("12 Äpfel, ja.", kGerman).value().phonemes, "<12 Äpfel, ja.>.");
}

TEST(OtherLanguagesTest, ALanguageEspeakLacksIsAnErrorWithTheList) {
  TextFrontEnd front_end(
      {.units = SymbolSet::phonemes, .espeak_program = make_german_espeak(make_test_folder())});
  const std::vector<TextRow> rows = {{.text = "ghobe", .language = *to_language_tag("tlh")}};

  try {
    front_end.learn(rows, {});
    FAIL() << "no error";
  } catch (const MessageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected one of de"));
  }
}

// An espeak-ng that reads Cyrillic and Latin letters, says what it calls others, and nothing of ☃.
std::string make_naming_espeak(const std::filesystem::path& folder) {
  const std::string log = (folder / "asked").string();
  return make_fake_espeak(
      folder,
      "if [ \"$1\" = --voices ]; then printf 'Pty Language\\n 5  ru  --/M  Russian\\n'; exit; fi\n"
      "while read -r l; do echo \"$l\" >> '" +
          log +
          "'\n"
          "case $l in *漢*) echo '(en)tSaIni:z(ru)letV';; *USA*) echo '(en)ju:(ru) (en)Es(ru) (en)eI(ru)';;\n"
          "*ა*) echo '';; *) echo \"<$l>\";; esac; done");
}

TEST(OtherLanguagesTest, LettersThatEspeakNamesInEnglishOrPassesOverAreRefused) {
  const std::filesystem::path folder = make_test_folder();
  const LanguageTag russian = *to_language_tag("ru");
  const TextConfig config{.units = SymbolSet::phonemes,
                          .espeak_program = make_naming_espeak(folder),
                          .phoneme_cache = folder / "phonemes.tsv"};
  const std::vector<TextRow> rows = {{.text = "Привет", .language = russian},
                                     {.text = "漢", .language = russian},
                                     {.text = "USA", .language = russian},
                                     {.text = "ა", .language = russian}};
  for (int start = 0; start < 2; ++start) {
    TextFrontEnd front_end(config);
    front_end.learn(rows, {});

    EXPECT_TRUE(front_end.read("Привет", russian));
    EXPECT_EQ(front_end.read("USA", russian).value().phonemes, "ju: Es eI");
    for (const char* const text : {"漢", "ა"}) {
      const Result<TextReading> reading = front_end.read(text, russian);
      ASSERT_FALSE(reading);
      EXPECT_THAT(reading.failure().what, HasSubstr("turns to English"));
    }
    front_end.save_phonemes();
    EXPECT_EQ(std::filesystem::remove(folder / "asked"), start == 0) << "remembered, too";
  }
}

TEST(OtherLanguagesTest, TheSecondStartAsksEspeakNothing) {
  const std::filesystem::path folder = make_test_folder();
  const TextConfig config{.units = SymbolSet::phonemes,
                          .espeak_program = make_german_espeak(folder),
                          .phoneme_cache = folder / "phonemes.tsv"};
  { TextFrontEnd(config).learn(german_rows(), {}); }
  std::filesystem::remove(folder / "asked");

  TextFrontEnd second(config);
  second.learn(german_rows(), {});

  EXPECT_TRUE(second.tokens("Ja, gut.", kGerman));
  EXPECT_FALSE(std::filesystem::exists(folder / "asked"));
}

TEST(OtherLanguagesTest, TheSecondStartAsksACommandItsFixedLinesOnly) {
  const std::filesystem::path folder = make_test_folder();
  const std::string log = (folder / "asked").string();
  const TextConfig config{
      .units = SymbolSet::own,
      .phoneme_cache = folder / "g2p.tsv",
      .g2p = "while read -r l; do echo \"$l\" >> '" + log + "'; echo \"<$l>\"; done"};
  for (int start = 0; start < 2; ++start) {
    TextFrontEnd front_end(config);
    front_end.learn(german_rows(), {});

    EXPECT_EQ(front_end.read("Ja, gut.", kGerman).value().phonemes, "<Ja, gut.>");
    const std::string asked = read_text_file(log).value();
    EXPECT_EQ(asked.find("gut") != std::string::npos, start == 0) << asked;
    EXPECT_NE(asked.find("Hello"), std::string::npos) << "is it the same command?";
    std::filesystem::remove(log);
  }
}

TEST(OtherLanguagesTest, OwnFrontEndsLearnFromEnglishToo) {
  TextFrontEnd front_end({.units = SymbolSet::own, .g2p = "exec sed -u 's/^/Ж/'"});
  const std::vector<TextRow> rows = {{.text = "a", .language = Language::en}};
  front_end.learn(rows, {});

  EXPECT_EQ(front_end.read("a", Language::en).value().phonemes, "Жa");
  EXPECT_THAT(front_end.read("a", Language::en).value().unknown, IsEmpty());
}

TEST(OtherLanguagesTest, AnOwnFrontEndIsKnownByItsAnswers) {
  const std::vector<LanguageTag> languages = {Language::en};
  const auto identity = [&](const char* command) {
    return TextFrontEnd({.units = SymbolSet::own, .g2p = command}).identity(languages);
  };

  EXPECT_EQ(identity("sed -u 's/a/b/'").probed, identity("sed -u s/a/b/").probed);
  EXPECT_NE(identity("sed -u 's/a/b/'").probed, identity("sed -u 's/a/c/'").probed);
}

}  // namespace
}  // namespace qanat
