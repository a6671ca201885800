#include "speech/open_vocoder.h"

#include <fstream>

#include <gmock/gmock.h>

#include "audio/audio_decoder.h"
#include "speech/copy_session.h"
#include "speech/hifigan.h"
#include "speech/speech_testing.h"
#include "speech/synth_session.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A HiFi-GAN of one upsampling by 256 and two channels, with random weights.
class VocoderTest : public SpeechFolderTest {
 protected:
  void put_vocoder(const std::filesystem::path& folder, int rate = 22050) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << nlohmann::json{{"resblock", "2"},
                                                            {"upsample_rates", {256}},
                                                            {"upsample_kernel_sizes", {512}},
                                                            {"upsample_initial_channel", 4},
                                                            {"resblock_kernel_sizes", {3}},
                                                            {"resblock_dilation_sizes", {{1, 2}}},
                                                            {"num_mels", 80},
                                                            {"n_fft", 1024},
                                                            {"hop_size", 256},
                                                            {"win_size", 1024},
                                                            {"sampling_rate", rate},
                                                            {"fmin", 0},
                                                            {"fmax", 8000}};
    torch::manual_seed(3);
    write_safetensors(folder / "generator.safetensors",
                      {{"conv_pre.weight", 0.01 * torch::randn({4, 80, 7})},
                       {"conv_pre.bias", torch::zeros({4})},
                       {"ups.0.weight", 0.1 * torch::randn({4, 2, 512})},
                       {"ups.0.bias", torch::zeros({2})},
                       {"resblocks.0.convs.0.weight", 0.1 * torch::randn({2, 2, 3})},
                       {"resblocks.0.convs.0.bias", torch::zeros({2})},
                       {"resblocks.0.convs.1.weight", 0.1 * torch::randn({2, 2, 3})},
                       {"resblocks.0.convs.1.bias", torch::zeros({2})},
                       {"conv_post.weight", torch::randn({1, 2, 7})},
                       {"conv_post.bias", torch::zeros({1})}},
                      {});
  }
  SynthRequest request(const std::string& vocoder = "") {
    return {.checkpoint = {.path = checkpoints()},
            .texts = {"One sentence. And another one."},
            .vocoder = vocoder,
            .out = root_ / "speech.wav"};
  }
  static std::vector<float> samples_of(const std::filesystem::path& file) {
    AudioDecoder decoder(SampleRate{22050});
    const auto samples = decoder.decode(file);
    EXPECT_TRUE(samples) << samples.failure().what;
    return samples ? std::vector<float>(samples.value().begin(), samples.value().end())
                   : std::vector<float>();
  }
};

TEST_F(VocoderTest, GriffinLimSpeaksWhereThereIsNoOther) {
  save(nano_state());

  const SynthReport report = run_synthesis(request());

  EXPECT_EQ(report.vocoder, "griffin-lim");
  EXPECT_EQ(to_json(report)["vocoder"]["folder"], nullptr);
}

TEST_F(VocoderTest, GriffinLimSpeaksWhileTheOneBesideHasNoCheckpointYet) {
  save(nano_state());
  std::filesystem::create_directories(checkpoints() / "vocoder" / "ranks");
  std::vector<std::string> notes;
  SynthRequest asked = request();
  asked.warn = [&](const Message& note) { notes.push_back(Translator().tr(note)); };

  const SynthReport report = run_synthesis(asked);

  EXPECT_EQ(report.vocoder, "griffin-lim");
  EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("no vocoder yet")));
}

TEST_F(VocoderTest, AFolderThatWasAskedForHasToHaveAVocoder) {
  save(nano_state());
  std::filesystem::create_directories(checkpoints() / "vocoder");

  EXPECT_THROW(run_synthesis(request((checkpoints() / "vocoder").string())), Error);
}

TEST_F(VocoderTest, OneBesideTheCheckpointsIsFoundAndSpeaks) {
  save(nano_state());
  const std::vector<float> before = (run_synthesis(request()), samples_of(root_ / "speech.wav"));
  put_vocoder(checkpoints() / "vocoder");

  const SynthReport report = run_synthesis(request());

  EXPECT_EQ(report.vocoder, "hifi-gan");
  EXPECT_EQ(to_json(report)["vocoder"]["folder"], (checkpoints() / "vocoder").string());
  EXPECT_NE(samples_of(root_ / "speech.wav"), before);
  EXPECT_EQ(run_synthesis(request("griffin-lim")).vocoder, "griffin-lim");
}

TEST_F(VocoderTest, ChunksMakeTheSameFileAsTheWhole) {
  save(nano_state());
  put_vocoder(root_ / "gan");
  run_synthesis(request((root_ / "gan").string()));
  const std::vector<float> whole = samples_of(root_ / "speech.wav");
  SynthRequest chunked = request((root_ / "gan").string());
  chunked.chunk = Seconds{0.1};
  chunked.out = root_ / "chunks.wav";

  const SynthReport report = run_synthesis(chunked);

  const std::vector<float> chunks = samples_of(root_ / "chunks.wav");
  ASSERT_EQ(chunks.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_NEAR(chunks[i], whole[i], 1e-4) << i;
  }
  ASSERT_TRUE(report.texts[0].first_s);
  EXPECT_LE(*report.texts[0].first_s, report.texts[0].work_s);
}

TEST_F(VocoderTest, RecordingsAreCopiedThroughTheVocoder) {
  std::filesystem::create_directories(root_ / "wavs");
  recording("wavs/a.wav");
  recording("wavs/b.wav");

  const CopyReport report = run_copy_synthesis({.from = root_ / "wavs", .out = root_ / "copies"});

  ASSERT_EQ(report.clips.size(), 2);
  EXPECT_EQ(report.clips[1].out, root_ / "copies" / "b.wav");
  EXPECT_EQ(samples_of(root_ / "copies" / "b.wav").size(), 33'000U / 256 * 256);
  EXPECT_EQ(report.vocoder, "griffin-lim");
}

TEST_F(VocoderTest, SaysWhatIsWrongAndWhatToTry) {
  save(nano_state());
  std::filesystem::create_directories(root_ / "empty");
  put_vocoder(root_ / "other", 24000);
  put_vocoder(root_ / "half");
  std::filesystem::remove(root_ / "half" / "generator.safetensors");
  const auto why = [&](const char* name) {
    return error_of([&] { run_synthesis(request((root_ / name).string())); });
  };

  EXPECT_THAT(why("empty"), AllOf(HasSubstr("no vocoder"), HasSubstr("generator.safetensors")));
  EXPECT_THAT(why("other"), AllOf(HasSubstr("24,000 Hz"), HasSubstr("--vocoder griffin-lim")));
  EXPECT_THAT(why("half"), HasSubstr("model.safetensors"));
}

}  // namespace
}  // namespace qanat
