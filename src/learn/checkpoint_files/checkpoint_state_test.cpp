#include "checkpoint_files/checkpoint_state.h"

#include <gmock/gmock.h>

namespace qanat {
namespace {

CheckpointState example_state() {
  return {.model = {.size = ModelSize::nano, .vocabulary = 130, .mel_mean = -5.2F},
          .text = {.units = SymbolSet::phonemes,
                   .stress = StressMarks::drop,
                   .spelling = SpellingVariants::keep,
                   .ezafe = EzafeMarks::add,
                   .symbol_table_hash = 0xFFFF'0000'1234'5678U,
                   .front_end_hash = 7},
          .speakers = {"Ada", "آرش"},
          .languages = {Language::en, Language::fa},
          .mel = {.fmax = 7600.0F}};
}

std::string state_failure(const nlohmann::json& json) {
  const Result<CheckpointState> state = to_checkpoint_state(json);
  return state ? "" : state.failure().what;
}

// example_state() with one value replaced.
std::string failure_with(const char* pointer, const nlohmann::json& value) {
  nlohmann::json json = to_json(example_state());
  json[nlohmann::json::json_pointer(pointer)] = value;
  return state_failure(json);
}

TEST(CheckpointStateTest, ComesBackFromItsText) {
  const std::string text = to_json(example_state()).dump();

  const Result<CheckpointState> state = to_checkpoint_state(nlohmann::json::parse(text));

  ASSERT_TRUE(state) << state.failure().what;
  EXPECT_EQ(state.value(), example_state());
}

TEST(CheckpointStateTest, IgnoresWhatTheTrainerKeepsBesideIt) {
  nlohmann::json json = to_json(example_state());
  json["plan"] = {{"epoch", 3}};

  EXPECT_TRUE(to_checkpoint_state(json));
}

TEST(CheckpointStateTest, FilesOfEarlierVersionsNameNoLanguages) {
  nlohmann::json json = to_json(example_state());
  json.erase("languages");

  EXPECT_TRUE(to_checkpoint_state(json).value().languages.empty());
  EXPECT_EQ(failure_with("/languages", {"en", "?"}), "/languages: ?; expected language tags");
}

TEST(CheckpointStateTest, TheFrontEndOfAStateGivesItsIds) {
  const TextConfig config{.units = SymbolSet::characters};
  const TextFrontEnd front_end(config);
  const StoredText stored = stored_text(config, front_end);

  const TextFrontEnd again(make_text_config(stored));

  EXPECT_EQ(again.tokenizer().hash(), stored.symbol_table_hash);
  EXPECT_EQ(again.hash(), stored.front_end_hash);
}

TEST(CheckpointStateTest, NamesTheFieldThatIsMissing) {
  nlohmann::json json = to_json(example_state());
  json["text"].erase("units");

  EXPECT_THAT(state_failure(json), testing::HasSubstr("/text/units: missing"));
}

TEST(CheckpointStateTest, TextWithoutASpellingWasKeptAsItWasWritten) {
  nlohmann::json json = to_json(CheckpointState{.model = {.vocabulary = 130}});
  json["text"].erase("spelling");
  json["text"].erase("ezafe");

  const Result<CheckpointState> state = to_checkpoint_state(json);

  ASSERT_TRUE(state) << state.failure().what;
  EXPECT_EQ(state.value().text.spelling, SpellingVariants::keep);
  EXPECT_EQ(state.value().text.ezafe, EzafeMarks::as_written);
}

TEST(CheckpointStateTest, RefusesAnotherFormat) {
  EXPECT_THAT(failure_with("/format", "torch"), testing::HasSubstr("/format"));
}

TEST(CheckpointStateTest, RefusesAVersionItDoesNotKnow) {
  EXPECT_THAT(failure_with("/version", 2), testing::HasSubstr("/version: 2"));
}

TEST(CheckpointStateTest, RefusesASizeThatIsNone) {
  EXPECT_THAT(failure_with("/model/size", "huge"), testing::HasSubstr("nano, tiny, small"));
}

TEST(CheckpointStateTest, RefusesAVocabularyBeyondAllReason) {
  EXPECT_THAT(failure_with("/model/vocabulary", 18446744073709551615U),
              testing::HasSubstr("/model/vocabulary"));
}

TEST(CheckpointStateTest, RefusesAHashThatIsNone) {
  EXPECT_THAT(failure_with("/text/symbol_table_hash", "0x12"),
              testing::HasSubstr("16 hexadecimal digits"));
}

TEST(CheckpointStateTest, RefusesSpeakersThatAreNotNames) {
  EXPECT_THAT(failure_with("/speakers", {1, 2}), testing::HasSubstr("/speakers: 1"));
}

TEST(CheckpointStateTest, RefusesASpreadOfZero) {
  EXPECT_THAT(failure_with("/model/mel_std", 0), testing::HasSubstr("/model/mel_std"));
}

TEST(CheckpointStateTest, RefusesASpectrogramThatCannotBe) {
  EXPECT_THAT(failure_with("/mel/fft_size", 1000), testing::HasSubstr("fft_size"));
}

TEST(CheckpointStateTest, RefusesWhatIsNoObject) {
  EXPECT_THAT(state_failure(nlohmann::json::array()), testing::HasSubstr("expected an object"));
}

VocoderState example_vocoder() {
  return {.size = ModelSize::nano,
          .width = 160,
          .ffn = 480,
          .blocks = 6,
          .kernel = 7,
          .refinements = 2,
          .mel_mean = -5.54,
          .mel_std = 2.12,
          .mel = {}};
}

TEST(VocoderStateTest, ComesBackFromItsText) {
  const std::string text = to_json(example_vocoder()).dump();

  const Result<VocoderState> state = to_vocoder_state(nlohmann::json::parse(text));

  ASSERT_TRUE(state) << state.failure().what;
  EXPECT_EQ(state.value(), example_vocoder());
}

TEST(VocoderStateTest, IsNotThatOfASpeechModel) {
  const nlohmann::json vocoder = to_json(example_vocoder());
  const nlohmann::json speech = to_json(example_state());

  EXPECT_EQ(stored_task(vocoder), TrainingTask::vocoder);
  EXPECT_EQ(stored_task(speech), TrainingTask::speech);
  EXPECT_THAT(state_failure(vocoder), testing::HasSubstr("a checkpoint of a vocoder"));
  EXPECT_THAT(to_vocoder_state(speech).failure().what,
              testing::HasSubstr("a checkpoint of a speech model"));
}

TEST(VocoderStateTest, NamesWhatIsWrong) {
  nlohmann::json json = to_json(example_vocoder());
  json["vocoder"]["width"] = 1'000'000;

  EXPECT_THAT(to_vocoder_state(json).failure().what, testing::HasSubstr("/vocoder/width: 1000000"));
}

}  // namespace
}  // namespace qanat
