#include "speech/mel_prediction.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "audio/audio_decoder.h"
#include "base/error.h"
#include "base/files.h"
#include "features/feature_store_folder.h"
#include "features/mel_extractor.h"
#include "locale/translator.h"
#include "speech/chosen_checkpoint.h"
#include "speech/speech_testing.h"
#include "train/reference_crops.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kBins = 80;
constexpr std::int64_t kFrames = 33'000 / 256;

// Three clips of one voice and one of another.
class MelPredictionTest : public SpeechFolderTest {
 protected:
  void SetUp() override {
    SpeechFolderTest::SetUp();
    save(nano_state({"ann", "ben"}));
    set_.manifest.root = root_;
    add("a", "hello there", "ann");
    add("b", "good day", "ben");
    add("c", "good night", "ann");
    add("d", "and so on", "ann");
  }

  // A hum of its own, so that one voice is not the other.
  void add(const std::string& id, const std::string& text, const std::string& speaker) {
    std::vector<float> samples(33'000);
    const float pitch = 0.03F + 0.01F * static_cast<float>(set_.manifest.utterances.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i] = 0.3F * std::sin(pitch * static_cast<float>(i));
    }
    write_wav(root_ / (id + ".wav"), samples, SampleRate{22050});
    Utterance utterance;
    utterance.id = id;
    utterance.audio = id + ".wav";
    utterance.text = text;
    utterance.speaker = speaker;
    set_.manifest.utterances.push_back(utterance);
    set_.index.entries.push_back({.samples = SampleCount{33'000},
                                  .identity = read_file_identity(root_ / (id + ".wav")).value(),
                                  .usable = true});
  }

  std::filesystem::path folder() const { return root_ / "predicted"; }

  // Counts what had to be predicted.
  std::optional<MelPrediction> predict() {
    predicted_ = 0;
    std::int64_t last = -1;
    return predict_mel({.source = find_mel_source(checkpoints(), nullptr),
                        .folder = folder(),
                        .set = set_,
                        .count = set_.manifest.utterances.size(),
                        .max_frames = FrameCount{1024},
                        .progress =
                            [&](std::int64_t done, std::int64_t total) {
                              ++predicted_;
                              EXPECT_GT(done, std::exchange(last, done));
                              EXPECT_EQ(total, 4);
                              if (predicted_ == stop_after_) {
                                stop_.request_stop();
                              }
                            },
                        .stop = stop_.get_token()});
  }
  static std::vector<float> mel_of(const MelPrediction& prediction, std::uint32_t item) {
    std::vector<float> mel(kFrames * kBins);
    PredictedMel::Scratch scratch;
    EXPECT_TRUE(prediction.mel->read(item, FrameCount{0}, mel, scratch));
    return mel;
  }
  std::vector<float> recorded(std::uint32_t item) const {
    AudioDecoder decoder(SampleRate{22050});
    std::vector<float> mel(kFrames * kBins);
    MelExtractor(MelConfig{})
        .extract(decoder.decode(audio_path(set_.manifest, set_.manifest.utterances[item])).value(),
                 mel);
    return mel;
  }
  void damage(std::int64_t at) const {
    std::fstream file(shard_path(folder(), 0), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 1));
  }

  UtteranceSet set_;
  int predicted_ = 0;
  int stop_after_ = 0;
  std::stop_source stop_;
};

TEST_F(MelPredictionTest, IsWhatTheModelSaysWithTheRecordingsDurationsAndTheNextOfItsSpeaker) {
  const ChosenCheckpoint chosen = open_checkpoint({.path = checkpoints()}, [](const Message&) {});
  const TokenIds tokens = chosen.model->text().tokens("hello there", Language::en).value();
  std::vector<float> voice = recorded(2);
  voice.resize(static_cast<std::size_t>(longest_reference(kFrames)) * kBins);

  const MelPrediction prediction = predict().value();

  EXPECT_EQ(mel_of(prediction, 0),
            chosen.model->predict(tokens, recorded(0), {.reference = voice, .speaker = 0}).value());
  EXPECT_NE(mel_of(prediction, 0), recorded(0));
  EXPECT_THAT(prediction.own, IsEmpty());
}

TEST_F(MelPredictionTest, AVoiceWithoutAnotherUtteranceIsShownTheFirstHalfOfItsOwn) {
  const ChosenCheckpoint chosen = open_checkpoint({.path = checkpoints()}, [](const Message&) {});
  const TokenIds tokens = chosen.model->text().tokens("good day", Language::en).value();
  std::vector<float> voice = recorded(1);
  voice.resize(static_cast<std::size_t>(most_of_own(kFrames)) * kBins);

  const MelPrediction prediction = predict().value();

  EXPECT_EQ(mel_of(prediction, 1),
            chosen.model->predict(tokens, recorded(1), {.reference = voice, .speaker = 1}).value());
}

TEST_F(MelPredictionTest, WhatIsThereIsNotPredictedAgain) {
  const std::vector<float> before = mel_of(predict().value(), 3);
  EXPECT_EQ(predicted_, 4);

  const MelPrediction again = predict().value();

  EXPECT_EQ(predicted_, 0);
  EXPECT_EQ(mel_of(again, 3), before);
}

TEST_F(MelPredictionTest, AnotherCheckpointPredictsAllAgain) {
  const std::vector<float> before = mel_of(predict().value(), 3);
  const CheckpointState state = nano_state({"ann", "ben"});
  const TensorMap weights = nano_weights(state, 2);
  CheckpointFolder(checkpoints(), 3)
      .save(2, {.weights = weights, .ema = weights, .state = to_json(state)}, false);

  const MelPrediction again = predict().value();

  EXPECT_EQ(predicted_, 4);
  EXPECT_NE(mel_of(again, 3), before);
  EXPECT_EQ(list_shards(folder()).size(), 1U);  // that of before is gone
}

// The clip itself, and the one it is the reference of.
TEST_F(MelPredictionTest, AnotherRecordingPredictsWhatDependsOnIt) {
  predict();
  set_.index.entries[2].identity.modified_ns += 1;

  predict();

  EXPECT_EQ(predicted_, 2);
}

TEST_F(MelPredictionTest, AnotherTextPredictsItsUtterance) {
  predict();
  set_.manifest.utterances[1].text = "good evening";

  predict();

  EXPECT_EQ(predicted_, 1);
}

TEST_F(MelPredictionTest, WhatIsDamagedIsPredictedAgain) {
  const std::vector<float> before = mel_of(predict().value(), 0);
  damage(1000);

  const MelPrediction again = predict().value();

  EXPECT_EQ(predicted_, 1);
  EXPECT_EQ(mel_of(again, 0), before);
  predict();
  EXPECT_EQ(predicted_, 0);
}

TEST_F(MelPredictionTest, WhatWasCutOffIsPredictedAgain) {
  const std::vector<float> before = mel_of(predict().value(), 0);
  const std::filesystem::path shard = shard_path(folder(), 0);
  std::filesystem::resize_file(shard, std::filesystem::file_size(shard) / 2);

  const MelPrediction again = predict().value();

  EXPECT_EQ(predicted_, 4);
  EXPECT_EQ(mel_of(again, 0), before);
}

// As after too many open files, or a file server that does not answer: the shard may be whole.
TEST_F(MelPredictionTest, WhatCannotBeOpenedIsNotDeleted) {
  predict();
  const std::filesystem::path shard = shard_path(folder(), 0);
  const std::filesystem::path aside = folder() / "aside";
  std::filesystem::rename(shard, aside);
  std::filesystem::create_symlink(shard.filename(), shard);  // opening it is refused: ELOOP

  EXPECT_THAT([&] { predict(); }, testing::ThrowsMessage<Error>(HasSubstr("nothing was deleted")));

  EXPECT_TRUE(std::filesystem::is_symlink(shard));
  EXPECT_EQ(predicted_, 0);
  std::filesystem::rename(aside, shard);
  predict();
  EXPECT_EQ(predicted_, 0);
}

TEST_F(MelPredictionTest, WhatWasPredictedBeforeAStopIsKept) {
  stop_after_ = 3;
  EXPECT_FALSE(predict());
  stop_after_ = 0;
  stop_ = {};

  EXPECT_TRUE(predict());

  EXPECT_EQ(predicted_, 1);
}

TEST_F(MelPredictionTest, WhatTheModelCannotReadKeepsItsOwnMel) {
  set_.manifest.utterances[2].text = std::string(2 * kFrames, 'a');  // more symbols than frames

  const MelPrediction prediction = predict().value();

  EXPECT_EQ(mel_of(prediction, 2), recorded(2));
  EXPECT_THAT(prediction.own, ElementsAre("c"));
  EXPECT_THAT(predict().value().own, ElementsAre("c"));  // also when it is not made again
}

TEST_F(MelPredictionTest, WhatCannotBeDecodedHasNone) {
  std::filesystem::resize_file(root_ / "a.wav", 30);

  const MelPrediction prediction = predict().value();

  std::vector<float> mel(kBins);
  PredictedMel::Scratch scratch;
  EXPECT_FALSE(prediction.mel->read(0, FrameCount{0}, mel, scratch));
  EXPECT_TRUE(prediction.mel->read(3, FrameCount{0}, mel, scratch));
}

TEST_F(MelPredictionTest, SaysWhatIsWrongWithTheCheckpoint) {
  const auto why = [](const std::filesystem::path& path) {
    return error_of([&] { find_mel_source(path, nullptr); });
  };
  CheckpointState other = nano_state();
  other.mel.fmax = 11'025;
  CheckpointFolder(root_ / "other", 3).save(1, {.state = to_json(other)}, false);
  CheckpointFolder(root_ / "vocoder", 3).save(1, {.state = to_json(VocoderState{})}, false);

  EXPECT_THAT(why(root_ / "nowhere"), HasSubstr("nowhere: no checkpoint; expected a folder of"));
  EXPECT_THAT(why(root_ / "other"), HasSubstr("its model uses a different mel configuration"));
  EXPECT_THAT(why(root_ / "vocoder"), HasSubstr("checkpoints of a vocoder"));
  EXPECT_EQ(find_mel_source(checkpoints(), nullptr),
            find_mel_source(checkpoints() / "step-000000001", nullptr));
}

}  // namespace
}  // namespace qanat
