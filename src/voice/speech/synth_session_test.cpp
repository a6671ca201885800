#include "speech/synth_session.h"

#include "audio/audio_decoder.h"
#include "base/error.h"
#include "base/files.h"
#include "locale/translator.h"
#include "speech/speech_testing.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SynthSessionTest : public SpeechFolderTest {
 protected:
  SynthRequest request(std::vector<std::string> texts) {
    return {.checkpoint = {.path = checkpoints()},
            .texts = std::move(texts),
            .out = root_ / "speech.wav",
            .warn = [this](const Message& text) { warnings_.push_back(Translator().tr(text)); }};
  }
  std::size_t num_samples(const std::filesystem::path& path) {
    AudioDecoder decoder(SampleRate{22050});
    const auto samples = decoder.decode(path);
    EXPECT_TRUE(samples) << samples.failure().what;
    return samples ? samples.value().size() : 0;
  }

  std::vector<std::string> warnings_;
};

TEST_F(SynthSessionTest, WritesWhatItReports) {
  save(nano_state());
  SynthRequest asked = request({"Hello, 2 worlds."});
  asked.mel = root_ / "speech.npy";

  const SynthReport report = run_synthesis(asked);

  ASSERT_EQ(report.texts.size(), 1);
  EXPECT_EQ(report.texts[0].normalised, "hello, two worlds.");
  EXPECT_EQ(report.step, 1);
  EXPECT_GT(report.work_s, 0);
  EXPECT_NEAR(report.audio_s, static_cast<double>(num_samples(asked.out)) / 22050, 1e-9);
  EXPECT_TRUE(std::filesystem::exists(asked.mel));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(SynthSessionTest, ATextIsReadInItsOwnLanguageWhereTheModelKnowsIt) {
  CheckpointState state = nano_state();
  state.languages = {Language::en, Language::fa};
  save(state);
  SynthRequest asked = request({"Hello 2.", "Hello 2.", "Hello 2."});
  asked.languages = {Language::fa, std::nullopt, to_language_tag("de")};

  const SynthReport report = run_synthesis(asked);
  asked.language = Language::en;
  const SynthReport all_english = run_synthesis(asked);

  ASSERT_EQ(report.texts.size(), 3);
  EXPECT_EQ(report.texts[0].language, Language::fa);
  EXPECT_EQ(report.texts[1].language, Language::en);
  EXPECT_EQ(report.texts[2].language, Language::en);
  EXPECT_EQ(all_english.texts[0].language, Language::en);
}

TEST_F(SynthSessionTest, SeveralTextsAreNumbered) {
  save(nano_state());

  const SynthReport report = run_synthesis(request({"One.", "سلام دنیا"}));

  ASSERT_EQ(report.texts.size(), 2);
  EXPECT_EQ(report.texts[0].out, root_ / "speech-001.wav");
  EXPECT_EQ(report.texts[1].language, Language::fa);
  EXPECT_GT(num_samples(root_ / "speech-002.wav"), 0);
}

TEST_F(SynthSessionTest, SentencesAreJoinedWithAPause) {
  save(nano_state());
  const std::size_t first = [&] {
    run_synthesis(request({"one two."}));
    return num_samples(root_ / "speech.wav");
  }();

  run_synthesis(request({"one two. one two."}));

  EXPECT_EQ(num_samples(root_ / "speech.wav"), 2 * first + 4410);
}

TEST_F(SynthSessionTest, ALongTextIsStoppedBetweenItsPartsAndNothingHalfIsWritten) {
  save(nano_state());
  std::string long_text;
  for (int i = 0; i < 400; ++i) {
    long_text += "word ";
  }
  std::stop_source stop;
  std::vector<std::int64_t> totals;
  SynthRequest asked = request({"One.", long_text, "Never said."});
  asked.stop = stop.get_token();
  asked.progress = [&](std::int64_t done, std::int64_t total) {
    totals.push_back(total);
    if (done == 3) {  // the second part of the second text
      stop.request_stop();
    }
  };

  const SynthReport report = run_synthesis(asked);

  ASSERT_EQ(report.texts.size(), 1);
  EXPECT_TRUE(std::filesystem::exists(root_ / "speech-001.wav"));
  EXPECT_FALSE(std::filesystem::exists(root_ / "speech-002.wav"));
  EXPECT_EQ(totals.size(), 3);
  EXPECT_GT(totals.front(), 10);
}

TEST_F(SynthSessionTest, ALongTextInChunksEndsBehindAPartWhenItIsStopped) {
  save(nano_state());
  std::stop_source stop;
  SynthRequest asked = request({"One. Two. Three."});
  asked.chunk = Seconds{0.2};
  asked.stop = stop.get_token();
  asked.progress = [&](std::int64_t /*done*/, std::int64_t /*total*/) { stop.request_stop(); };

  const SynthReport report = run_synthesis(asked);

  EXPECT_THAT(report.texts, IsEmpty());
  EXPECT_GT(num_samples(root_ / "speech.wav"), 0);
}

TEST_F(SynthSessionTest, ALargerLengthScaleIsSlower) {
  save(nano_state());
  SynthRequest asked = request({"a slow sentence"});
  const double normal = run_synthesis(asked).audio_s;
  asked.length_scale = 3.0;

  EXPECT_GT(run_synthesis(asked).audio_s, normal);
}

TEST_F(SynthSessionTest, AReferenceIsHeard) {
  save(nano_state());
  SynthRequest asked = request({"hello"});
  asked.mel = root_ / "a.npy";
  run_synthesis(asked);
  const std::string without = read_text_file(asked.mel).value();
  asked.reference = recording("voice.wav");

  run_synthesis(asked);

  EXPECT_NE(read_text_file(asked.mel).value(), without);
}

TEST_F(SynthSessionTest, EverySpeakerIsHeardAlsoWithoutAReference) {
  save(nano_state({"Ada", "Arash"}));
  SynthRequest asked = request({"hello"});
  const auto spoken_by = [&](const std::string& speaker) {
    asked.speaker = speaker;
    asked.mel = root_ / ("by" + speaker + ".npy");
    run_synthesis(asked);
    return read_text_file(asked.mel).value();
  };

  const std::string nobody = spoken_by("");

  EXPECT_NE(spoken_by("Ada"), spoken_by("Arash"));
  EXPECT_NE(spoken_by("Ada"), nobody);
  EXPECT_NE(spoken_by("Arash"), nobody);
}

TEST_F(SynthSessionTest, ASpeakerTheModelDoesNotKnowIsAnError) {
  save(nano_state({"Ada", "Arash"}));
  SynthRequest asked = request({"hello"});

  asked.speaker = "Nobody";
  EXPECT_THAT(error_of([&] { run_synthesis(asked); }),
              HasSubstr("speaker Nobody: not in the model; expected one of Ada, Arash"));
}

TEST_F(SynthSessionTest, ASpeakerOfAModelWithoutSpeakersIsAnError) {
  save(nano_state());
  SynthRequest asked = request({"hello"});
  asked.speaker = "Ada";

  EXPECT_THAT(error_of([&] { run_synthesis(asked); }), HasSubstr("knows no speakers by name"));
}

TEST_F(SynthSessionTest, NoCheckpointIsAnErrorNamingTheFolder) {
  EXPECT_THAT(error_of([&] { run_synthesis(request({"hello"})); }),
              HasSubstr(checkpoints().string() + ": no complete checkpoint here"));
}

TEST_F(SynthSessionTest, OtherSymbolsAreAnError) {
  CheckpointState state = nano_state();
  state.text.symbol_table_hash ^= 1;
  save(state);

  EXPECT_THAT(error_of([&] { run_synthesis(request({"hello"})); }), HasSubstr("symbol table"));
}

TEST_F(SynthSessionTest, OtherRulesOfReadingAreSaid) {
  CheckpointState state = nano_state();
  state.text.front_end_hash ^= 1;
  save(state);

  run_synthesis(request({"hello"}));

  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("other rules")));
}

TEST_F(SynthSessionTest, ADamagedCheckpointIsPassedOverAndNamed) {
  save(nano_state(), 1);
  save(nano_state(), 2);
  std::filesystem::resize_file(checkpoints() / "step-000000002/ema.safetensors", 100);

  EXPECT_EQ(run_synthesis(request({"hello"})).step, 1);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("step-000000002/ema.safetensors: 100 bytes")));
}

TEST_F(SynthSessionTest, TheBestCanBeAskedFor) {
  save(nano_state(), 1, true);
  save(nano_state(), 2);
  SynthRequest asked = request({"hello"});
  asked.checkpoint.pick = CheckpointPick::best;

  EXPECT_EQ(run_synthesis(asked).step, 1);
}

TEST_F(SynthSessionTest, OneCheckpointCanBeNamed) {
  save(nano_state(), 1);
  save(nano_state(), 2);
  SynthRequest asked = request({"hello"});
  asked.checkpoint.path = checkpoints() / "step-000000001";

  EXPECT_EQ(run_synthesis(asked).step, 1);
}

TEST_F(SynthSessionTest, TextWithoutAnythingToSayIsAnErrorBeforeAnythingIsWritten) {
  save(nano_state());

  EXPECT_THAT(error_of([&] { run_synthesis(request({"hello", "☃"})); }), HasSubstr("\"☃\""));
  EXPECT_FALSE(std::filesystem::exists(root_ / "speech-001.wav"));
}

TEST_F(SynthSessionTest, CharactersWithoutASymbolAreNamed) {
  save(nano_state());

  const SynthReport report = run_synthesis(request({"hello ☃"}));

  ASSERT_EQ(report.texts[0].unknown.size(), 1);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("U+2603")));
}

TEST_F(SynthSessionTest, AScriptTheModelNeverSawIsSaid) {
  CheckpointState state = nano_state();
  state.languages = {Language::en};
  save(state);

  run_synthesis(request({"hello", "سلام دنیا"}));

  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("\"سلام دنیا\": the model was trained on English "
                                    "only and never saw Persian")));
}

TEST_F(SynthSessionTest, AScriptTheModelNeverSawIsSaidWhateverLanguageIsGiven) {
  CheckpointState state = nano_state();
  state.languages = {Language::fa};
  save(state);
  SynthRequest asked = request({"hello"});
  asked.language = Language::fa;

  run_synthesis(asked);

  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("trained on Persian only and never saw English")));
}

TEST_F(SynthSessionTest, NothingIsSaidOfLanguagesAnOlderCheckpointDoesNotName) {
  save(nano_state());

  run_synthesis(request({"hello", "سلام دنیا"}));

  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(SynthSessionTest, SmallModelsSpeakOnOneThread) {
  EXPECT_EQ(speech_threads(ModelSize::nano, 8), 1);
  EXPECT_EQ(speech_threads(ModelSize::normal, 8), 8);
}

TEST_F(SynthSessionTest, AnUnreadableReferenceIsAnErrorNamingIt) {
  save(nano_state());
  SynthRequest asked = request({"hello"});
  asked.reference = root_ / "nowhere.wav";

  EXPECT_THAT(error_of([&] { run_synthesis(asked); }), HasSubstr("nowhere.wav"));
}

TEST_F(SynthSessionTest, WeightsOfAnotherShapeAreAnError) {
  CheckpointState state = nano_state();
  const TensorMap weights = nano_weights(state);
  state.speakers = {"Ada"};
  CheckpointFolder(checkpoints(), 1)
      .save(1, {.weights = weights, .ema = weights, .state = to_json(state)}, false);

  EXPECT_THAT(error_of([&] { run_synthesis(request({"hello"})); }), HasSubstr("weights of"));
}

}  // namespace
}  // namespace qanat
