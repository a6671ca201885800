#include "speech/chosen_checkpoint.h"

#include <fstream>

#include "base/program_files.h"
#include "locale/translator.h"
#include "speech/checkpoint_weights.h"
#include "speech/speech_testing.h"
#include "speech/synth_session.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// In an empty folder; the start weights are those that were built with the program.
class ChosenCheckpointTest : public SpeechFolderTest {
 protected:
  void SetUp() override {
    SpeechFolderTest::SetUp();
    before_ = fs::current_path();
    fs::current_path(root_);
  }
  void TearDown() override {
    fs::current_path(before_);
    SpeechFolderTest::TearDown();
  }
  CheckpointWeights open(const CheckpointChoice& choice) {
    return open_weights(choice,
                        [&](const Message& text) { notes_.push_back(Translator().tr(text)); });
  }

  fs::path before_;
  std::vector<std::string> notes_;
};

TEST_F(ChosenCheckpointTest, WhereNothingWasTrainedTheStartWeightsSpeakAndSaySo) {
  EXPECT_EQ(open({.path = ""}).folder, start_weights());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("start weights of the program")));
}

TEST_F(ChosenCheckpointTest, NamedTheyNeedNoNote) {
  EXPECT_EQ(open({.path = "start"}).folder, start_weights());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(ChosenCheckpointTest, TheFolderOfATrainingComesFirst) {
  save(nano_state(), 7);

  EXPECT_EQ(open({.path = ""}).step, 7);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(ChosenCheckpointTest, ATrainingThatHasSavedNothingYetIsNotPassedOver) {
  fs::create_directories(checkpoints());

  EXPECT_THAT(error_of([&] { open({.path = ""}); }),
              HasSubstr("checkpoints: no complete checkpoint"));
}

TEST_F(ChosenCheckpointTest, AnotherFolderIsNotReplacedByThem) {
  EXPECT_THAT(error_of([&] { open({.path = "nowhere"}); }), HasSubstr("nowhere: no complete"));
}

TEST_F(ChosenCheckpointTest, TheyHaveNoPlainWeights) {
  EXPECT_THAT(error_of([&] { open({.path = "start", .weights = WeightsPick::plain}); }),
              HasSubstr(start_weights().string()));
}

class DefaultSpeakerTest : public SpeechFolderTest {
 protected:
  void save(const nlohmann::json& default_speakers) const {
    const CheckpointState state = nano_state({"ada", "arash"});
    const TensorMap weights = nano_weights(state);
    nlohmann::json stored = to_json(state);
    stored["default_speakers"] = default_speakers;
    CheckpointFolder(checkpoints(), 3)
        .save(1, {.weights = weights, .ema = weights, .state = stored}, /*best=*/false);
  }
  std::string speech(const std::string& text, const std::string& speaker) {
    const fs::path out = root_ / "speech.wav";
    run_synthesis(
        {.checkpoint = {.path = checkpoints()}, .texts = {text}, .speaker = speaker, .out = out});
    std::ifstream file(out, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(DefaultSpeakerTest, EachLanguageIsSpokenByItsOwnUnlessAnotherIsAskedFor) {
  save({{"en", "ada"}, {"fa", "arash"}});

  EXPECT_EQ(speech("hello", ""), speech("hello", "ada"));
  EXPECT_EQ(speech("سلام", ""), speech("سلام", "arash"));
  EXPECT_NE(speech("hello", ""), speech("hello", "arash"));
}

TEST_F(DefaultSpeakerTest, OneWhoIsNotInTheTableIsAnErrorThatNamesTheFile) {
  save({{"en", "eve"}});

  EXPECT_THAT(error_of([&] { speech("hello", ""); }),
              AllOf(HasSubstr("state.json"), HasSubstr("default_speakers: en")));
}

}  // namespace
}  // namespace qanat
