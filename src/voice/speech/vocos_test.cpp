#include "speech/vocos.h"

#include <gmock/gmock.h>

#include "audio/audio_decoder.h"
#include "speech/copy_session.h"
#include "speech/evaluation_renderer.h"
#include "speech/open_vocoder.h"
#include "speech/speech_testing.h"
#include "speech/synth_session.h"
#include "speech/vocode_chunks.h"
#include "train/trained_vocoder.h"
#include "vocoder/vocoder_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;

VocoderState small_state() {
  return stored_vocoder(ModelSize::nano, small_vocoder());
}

TensorMap vocos_weights(std::uint64_t seed = 1) {
  torch::manual_seed(seed);
  VocoderGenerator network(small_vocoder());
  const FlatParameters layout(*network);
  return layout.views(layout.adopt(*network, torch::kCPU));
}

class VocosTest : public SpeechFolderTest {
 protected:
  static void put(const std::filesystem::path& folder,
                  std::int64_t step = 1,
                  bool best = false,
                  std::uint64_t seed = 1) {
    const TensorMap weights = vocos_weights(seed);
    CheckpointFolder(folder, 9).save(
        step, {.weights = weights, .ema = weights, .state = to_json(small_state())}, best);
  }
  static std::vector<float> some_frames(std::int64_t frames) {
    const torch::Tensor mel = some_mel(1, frames)[0].t().contiguous();
    return {mel.data_ptr<float>(), mel.data_ptr<float>() + mel.numel()};
  }
};

class VocosChunksTest : public VocosTest, public testing::WithParamInterface<int> {};

// With as many refinements as real vocoders have: they let differences grow. What is left are
// floats that the last bit of a double decides.
TEST_P(VocosChunksTest, AreWhatTheWholeIs) {
  VocoderState state = small_state();
  state.refinements = vocoder_shape(VocoderPreset::nano).refinements;
  Vocos vocoder(state, vocos_weights());
  const std::vector<float> mel = some_frames(400);
  const std::vector<float> whole = vocoder.synthesise(mel);
  std::vector<float> joined;

  vocode_chunks(vocoder, mel, GetParam(), [&](std::span<const float> samples) {
    joined.insert(joined.end(), samples.begin(), samples.end());
  });

  ASSERT_EQ(joined.size(), 400U * 256U);
  ASSERT_EQ(joined.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_NEAR(joined[i], whole[i], 1e-4) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, VocosChunksTest, testing::Values(20, 43, 200));

TEST_F(VocosTest, SpeaksTheRendersOfATrainingAsSoonAsItIsThere) {
  const CheckpointState state = nano_state();
  EvaluationRenderer renderer(state,
                              make_text_front_end(state.text),
                              {{.text = "Hello.", .language = Language::en}},
                              checkpoints() / "renders");

  const std::string before = renderer.render(1, nano_weights(state)).vocoder;
  put(checkpoints() / "vocoder");
  const std::string after = renderer.render(2, nano_weights(state)).vocoder;

  EXPECT_EQ(before, "griffin-lim");
  EXPECT_EQ(after, "vocos");
}

// As a listener gets them: twice as long each time.
TEST_F(VocosTest, ChunksThatGrowAreTheWholeToo) {
  VocoderState state = small_state();
  state.refinements = vocoder_shape(VocoderPreset::nano).refinements;
  Vocos vocoder(state, vocos_weights());
  const std::vector<float> mel = some_frames(300);
  const std::vector<float> whole = vocoder.synthesise(mel);
  ChunkedVocoding vocoding(mel, {.first = 17, .most = 100});
  std::vector<std::size_t> lengths;
  std::vector<float> joined;

  while (!vocoding.is_over()) {
    const std::vector<float> samples = vocoding.next(vocoder);
    lengths.push_back(samples.size() / 256);
    joined.insert(joined.end(), samples.begin(), samples.end());
  }

  EXPECT_THAT(lengths, testing::ElementsAre(17, 34, 68, 100, 81));
  ASSERT_EQ(joined.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_NEAR(joined[i], whole[i], 1e-4) << i;
  }
}

TEST_F(VocosTest, WithoutItsContextChunksAreNotTheWhole) {
  Vocos vocoder(small_state(), vocos_weights());
  const std::vector<float> mel = some_frames(40);
  const std::vector<float> whole = vocoder.synthesise(mel);

  const std::vector<float> half = vocoder.synthesise(std::span(mel).first(20 * 80));

  double difference = 0;
  for (std::size_t i = 0; i < half.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(half[i] - whole[i])));
  }
  EXPECT_GT(difference, 1e-3);
}

TEST_F(VocosTest, OfARunSpeaksWithItsBestCheckpoint) {
  put(root_ / "run", 5, /*best=*/true);
  put(root_ / "run", 9, /*best=*/false, /*seed=*/2);

  const OpenedVocoder opened = open_vocoder((root_ / "run").string(), {}, MelConfig{});

  EXPECT_EQ(opened.vocoder->name(), "vocos");
  EXPECT_EQ(opened.folder->filename(), "step-000000005");
  EXPECT_EQ(opened.vocoder->synthesise(some_frames(30)),
            Vocos(small_state(), vocos_weights()).synthesise(some_frames(30)));
}

TEST_F(VocosTest, OfARunThatWasNotValidatedSpeaksWithItsLatestCheckpoint) {
  put(root_ / "run", 5);
  put(root_ / "run", 9);

  EXPECT_EQ(open_vocoder((root_ / "run").string(), {}, MelConfig{}).folder->filename(),
            "step-000000009");
  EXPECT_EQ(
      open_vocoder((root_ / "run" / "step-000000005").string(), {}, MelConfig{}).folder->filename(),
      "step-000000005");
}

TEST_F(VocosTest, BesideTheCheckpointIsFoundAndNamedInTheReport) {
  save(nano_state());
  put(checkpoints() / "vocoder");

  const SynthReport report = run_synthesis({.checkpoint = {.path = checkpoints()},
                                            .texts = {"One sentence."},
                                            .out = root_ / "speech.wav"});

  EXPECT_EQ(report.vocoder, "vocos");
  EXPECT_EQ(report.vocoder_folder->filename(), "step-000000001");
}

TEST_F(VocosTest, CopiesARecording) {
  put(root_ / "run");

  const CopyReport report = run_copy_synthesis({.from = recording("hum.wav"),
                                                .out = root_ / "copy.wav",
                                                .vocoder = (root_ / "run").string()});

  EXPECT_EQ(report.vocoder, "vocos");
  EXPECT_NEAR(report.audio_s, 1.5, 0.02);
  EXPECT_TRUE(std::filesystem::exists(root_ / "copy.wav"));
}

TEST_F(VocosTest, IsNotTakenForASpeechModelNorTheReverse) {
  save(nano_state());
  put(root_ / "run");

  EXPECT_THAT(error_of([&] { open_vocoder(checkpoints().string(), {}, MelConfig{}); }),
              HasSubstr("a checkpoint of a speech model; expected one of a vocoder"));
  EXPECT_THAT(error_of([&] {
                run_synthesis({.checkpoint = {.path = root_ / "run"},
                               .texts = {"One sentence."},
                               .out = root_ / "speech.wav"});
              }),
              HasSubstr("a checkpoint of a vocoder; expected one of a speech model"));
}

}  // namespace
}  // namespace qanat
