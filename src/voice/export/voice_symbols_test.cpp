#include "export/voice_symbols.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/utf8.h"
#include "export/voice_files.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Tokenizer kLetters(SymbolSet::characters);
const VoiceText kBoth{.languages = {Language::en, Language::fa}};

std::int64_t id_of(char32_t symbol) {
  return kLetters.encode(encode_utf8({&symbol, 1}), Language::fa)[2];
}

TEST(VoiceSymbolsTest, OtherSpellingsHaveTheIdOfTheirSymbol) {
  const VoiceSymbols symbols = make_voice_symbols(kLetters, kBoth);

  EXPECT_EQ(symbols.ids.at(U'A'), id_of(U'a'));
  EXPECT_EQ(symbols.ids.at(U'é'), id_of(U'e'));
  EXPECT_EQ(symbols.ids.at(U'\u064A'), id_of(U'ی'));
  EXPECT_EQ(symbols.ids.at(U'\u0643'), id_of(U'ک'));
  EXPECT_EQ(symbols.ids.at(U'،'), id_of(U','));
  EXPECT_EQ(symbols.ids.at(U'\u200C'), id_of(U'\u200C'));
  EXPECT_EQ(symbols.ids.at(U'\u0640'), 0);  // kashida is not heard
  EXPECT_FALSE(symbols.ids.contains(U'7'));
  EXPECT_FALSE(symbols.ids.contains(U'\n'));
}

TEST(VoiceSymbolsTest, LettersComeTogetherWithTheirMarks) {
  const VoiceSymbols symbols = make_voice_symbols(kLetters, kBoth);

  const std::int64_t madda = symbols.ids.at(U'\u0653');
  EXPECT_GE(madda, kLetters.size());
  EXPECT_LT(madda, symbols.plan.ids);
  const auto composed = [&](char32_t letter, char32_t mark) -> std::int64_t {
    const auto found = std::ranges::find_if(symbols.plan.compositions, [&](const Composition& one) {
      return one.letter == symbols.ids.at(letter) && one.mark == symbols.ids.at(mark);
    });
    return found == symbols.plan.compositions.end() ? -1 : found->composed;
  };
  EXPECT_EQ(composed(U'ا', U'\u0653'), id_of(U'آ'));
  EXPECT_EQ(composed(U'ا', U'\u0654'), id_of(U'أ'));
  EXPECT_EQ(composed(U'و', U'\u0654'), id_of(U'ؤ'));
  EXPECT_EQ(composed(U'\u064A', U'\u0654'), id_of(U'ئ'));
  EXPECT_EQ(composed(U'ه', U'\u0654'), -1);
}

TEST(VoiceSymbolsTest, ScriptsDecideOnlyBetweenTwoLanguages) {
  const VoiceSymbols both = make_voice_symbols(kLetters, kBoth);
  const VoiceSymbols one = make_voice_symbols(kLetters, {.languages = {Language::fa}});

  EXPECT_EQ(both.plan.scores[static_cast<std::size_t>(id_of(U'س'))], 1);
  EXPECT_EQ(both.plan.scores[static_cast<std::size_t>(id_of(U's'))], -1);
  EXPECT_EQ(both.plan.scores[static_cast<std::size_t>(id_of(U'.'))], 0);
  EXPECT_TRUE(one.plan.scores.empty());
  EXPECT_THAT(one.plan.languages, ElementsAre(kLetters.language_tag(Language::fa)));
}

TEST(VoiceSymbolsTest, StressThatWasDroppedInTrainingIsABlank) {
  const Tokenizer phonemes(SymbolSet::phonemes);
  const VoiceText dropped{
      .units = SymbolSet::phonemes, .stress = StressMarks::drop, .languages = {Language::en}};
  const VoiceText kept{.units = SymbolSet::phonemes, .languages = {Language::en}};

  EXPECT_EQ(make_voice_symbols(phonemes, dropped).ids.at(U'ˈ'), 0);
  EXPECT_GT(make_voice_symbols(phonemes, kept).ids.at(U'ˈ'), 0);
}

ExportedFacts facts_of(std::vector<std::string> speakers) {
  return {
      .name = "voice", .size = "nano", .text = kBoth, .speakers = std::move(speakers), .mel = {}};
}

TEST(VoiceFilesTest, PiperFindsWhatItNeeds) {
  const VoiceSymbols symbols = make_voice_symbols(kLetters, kBoth);

  const nlohmann::ordered_json json = piper_json(facts_of({"ann", "bob"}), symbols);

  EXPECT_EQ(json["num_speakers"], 2);
  EXPECT_EQ(json["speaker_id_map"]["bob"], 1);
  EXPECT_EQ(json["num_symbols"], symbols.plan.ids);
  EXPECT_EQ(json["audio"]["sample_rate"], 22050);
  EXPECT_EQ(json["hop_length"], 256);
  EXPECT_EQ(json["phoneme_type"], "text");
  EXPECT_EQ(json["phoneme_id_map"]["_"], nlohmann::ordered_json({0}));
  EXPECT_EQ(json["phoneme_id_map"]["^"], nlohmann::ordered_json({1}));
  EXPECT_EQ(json["phoneme_id_map"]["آ"], nlohmann::ordered_json({id_of(U'آ')}));
}

TEST(VoiceFilesTest, OneSpeakerHasNoTable) {
  const nlohmann::ordered_json json =
      piper_json(facts_of({"voice"}), make_voice_symbols(kLetters, kBoth));

  EXPECT_EQ(json["num_speakers"], 1);
  EXPECT_TRUE(json["speaker_id_map"].empty());
}

TEST(VoiceFilesTest, TheSpaceIsALineWithItsIdOnly) {
  const VoiceSymbols symbols = make_voice_symbols(kLetters, kBoth);

  const std::string lines = sherpa_tokens(symbols);

  EXPECT_THAT(lines, HasSubstr(fmt::format("\n {}\n", symbols.plan.space)));
  EXPECT_THAT(lines, HasSubstr(fmt::format("\na {}\n", id_of(U'a'))));
  EXPECT_THAT(lines, Not(HasSubstr("\n\n")));
}

}  // namespace
}  // namespace qanat
