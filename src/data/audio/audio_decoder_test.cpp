#include "audio/audio_decoder.h"

#include <cmath>
#include <cstdlib>
#include <future>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/audio_source.h"
#include "audio/test_audio.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr SampleRate kTarget{22050};

double root_mean_square(std::span<const float> samples) {
  const double sum = std::inner_product(samples.begin(), samples.end(), samples.begin(), 0.0);
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

class AudioDecoderTest : public AudioFilesTest {};

TEST_F(AudioDecoderTest, DeliversPlainSamplesBitExact) {
  AudioDecoder decoder(kTarget);
  const auto path = write_bytes(
      "a.wav",
      to_bytes({.data = little_endian<std::int16_t>(-32768) + little_endian<std::int16_t>(0) +
                        little_endian<std::int16_t>(1) + little_endian<std::int16_t>(32767)}));

  const auto pcm = decoder.decode_pcm16(path);
  ASSERT_TRUE(pcm) << pcm.failure().what;
  EXPECT_THAT(pcm.value(), ElementsAre(-32768, 0, 1, 32767));

  const auto samples = decoder.decode(path);
  ASSERT_TRUE(samples) << samples.failure().what;
  EXPECT_THAT(samples.value(), ElementsAre(-1.0F, 0.0F, 1 / 32768.0F, 32767 / 32768.0F));
}

TEST_F(AudioDecoderTest, LeavesPlainSamplesAsTheyAreAndTheOthersAsFloats) {
  AudioDecoder decoder(kTarget);
  const auto plain = write_bytes(
      "a.wav",
      to_bytes({.data = little_endian<std::int16_t>(-32768) + little_endian<std::int16_t>(7) +
                        little_endian<std::int16_t>(0) + little_endian<std::int16_t>(32767)}));
  write_sndfile(file("stereo.wav"), {.channels = 2}, {0.5F, 0.25F, -0.5F, 0.5F});

  const auto pcm = decoder.decode_as_held(plain);
  ASSERT_TRUE(pcm) << pcm.failure().what;
  EXPECT_THAT(std::get<std::span<const std::int16_t>>(pcm.value()),
              ElementsAre(-32768, 7, 0, 32767));

  const auto floats = decoder.decode_as_held(file("stereo.wav"));
  ASSERT_TRUE(floats) << floats.failure().what;
  EXPECT_THAT(std::get<std::span<const float>>(floats.value()), ElementsAre(0.375F, 0.0F));

  const auto none = decoder.decode_as_held(file("none.wav"));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.failure().what, HasSubstr("none.wav"));
}

TEST_F(AudioDecoderTest, ReadsAPlainFileThatIsLargerThanItsFirstRead) {
  AudioDecoder decoder(kTarget);
  const std::vector<float> wave = sine(440, 22050, 1'500'000);
  write_sndfile(file("long.wav"), {}, wave);

  const auto samples = decoder.decode(file("long.wav"));

  ASSERT_TRUE(samples) << samples.failure().what;
  ASSERT_EQ(samples.value().size(), wave.size());
  EXPECT_NEAR(samples.value().back(), wave.back(), 1e-4);
}

TEST_F(AudioDecoderTest, AveragesTheChannels) {
  AudioDecoder decoder(kTarget);
  write_sndfile(file("stereo.wav"), {.channels = 2}, {0.5F, 0.25F, -0.5F, 0.5F});

  EXPECT_THAT(decoder.decode(file("stereo.wav")).value(), ElementsAre(0.375F, 0.0F));
}

TEST_F(AudioDecoderTest, BoundsFloatSamplesToFullScale) {
  AudioDecoder decoder(kTarget);
  write_sndfile(file("loud.wav"), {.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT}, {1.5F, -2.0F, 0.5F});

  EXPECT_THAT(decoder.decode(file("loud.wav")).value(), ElementsAre(1.0F, -1.0F, 0.5F));
  EXPECT_THAT(decoder.decode_pcm16(file("loud.wav")).value(), ElementsAre(32767, -32768, 16384));
}

TEST_F(AudioDecoderTest, TakesEightChannelsAt192Kilohertz) {
  AudioDecoder decoder(kTarget);
  const std::vector<float> mono = sine(440, 192'000, 192'000);
  std::vector<float> interleaved;
  for (const float sample : mono) {
    interleaved.insert(interleaved.end(), 8, sample);
  }
  write_sndfile(file("wide.wav"),
                {.format = SF_FORMAT_WAVEX | SF_FORMAT_PCM_24, .rate = 192'000, .channels = 8},
                interleaved);

  const auto samples = decoder.decode(file("wide.wav"));

  ASSERT_TRUE(samples) << samples.failure().what;
  EXPECT_EQ(samples.value().size(), 22050U);
  EXPECT_NEAR(root_mean_square(samples.value()), 0.5 / std::sqrt(2.0), 0.002);
}

TEST_F(AudioDecoderTest, ForgetsTheFileBeforeWhenItResamples) {
  AudioDecoder decoder(kTarget);
  write_sndfile(file("a.wav"), {.rate = 16000}, sine(300, 16000, 16000));
  write_sndfile(file("b.wav"), {.rate = 16000}, sine(900, 16000, 8000));
  const std::span<const float> first = decoder.decode(file("a.wav")).value();
  const std::vector<float> expected(first.begin(), first.end());
  ASSERT_TRUE(decoder.decode(file("b.wav")));

  EXPECT_THAT(decoder.decode(file("a.wav")).value(), testing::ElementsAreArray(expected));
}

TEST_F(AudioDecoderTest, KeepsNoBufferAsLargeAsOneVeryLongFile) {
  AudioDecoder decoder(kTarget);
  write_sndfile(file("long.wav"), {}, std::vector<float>(6'000'000));
  write_sndfile(file("short.wav"), {}, sine(440, 22050, 1000));
  ASSERT_TRUE(decoder.decode(file("long.wav")));

  const auto samples = decoder.decode(file("short.wav"));

  ASSERT_TRUE(samples) << samples.failure().what;
  EXPECT_EQ(samples.value().size(), 1000U);
}

struct Format {
  std::string name;
  SndfileFormat sndfile;
  std::string encoding;
  double tolerance;  // RMS of the difference, for a sine of level 0.5
};

class AudioFormatTest : public AudioFilesTest, public testing::WithParamInterface<Format> {};

// The index plans with the header; the loader fills what the decoder delivers.
TEST_P(AudioFormatTest, DecodesToTheLengthAndTheSamplesTheHeaderPromises) {
  const Format& format = GetParam();
  const auto path = file("audio");
  const std::vector<float> wave = sine(440, format.sndfile.rate, 50'001);
  write_sndfile(path, format.sndfile, wave);

  const Result<AudioHeader> header = read_audio_header(path);
  AudioDecoder decoder(SampleRate{format.sndfile.rate});
  const auto samples = decoder.decode(path);

  ASSERT_TRUE(header) << header.failure().what;
  EXPECT_EQ(header.value().encoding, format.encoding);
  EXPECT_EQ(header.value().rate.value, format.sndfile.rate);
  ASSERT_TRUE(samples) << samples.failure().what;
  EXPECT_EQ(static_cast<std::int64_t>(samples.value().size()), header.value().samples.value);
  ASSERT_GE(samples.value().size(), wave.size());
  std::vector<float> difference(wave.size());
  for (std::size_t i = 0; i < wave.size(); ++i) {
    difference[i] = samples.value()[i] - wave[i];
  }
  EXPECT_LT(root_mean_square(difference), format.tolerance);
}

TEST_P(AudioFormatTest, ResamplesToTheLengthTheHeaderPromises) {
  const Format& format = GetParam();
  const auto path = file("audio");
  write_sndfile(path, format.sndfile, sine(440, format.sndfile.rate, 50'001));

  const Result<AudioHeader> header = read_audio_header(path);
  AudioDecoder decoder(SampleRate{32000});
  const auto samples = decoder.decode_pcm16(path);

  ASSERT_TRUE(header) << header.failure().what;
  ASSERT_TRUE(samples) << samples.failure().what;
  EXPECT_EQ(SampleCount{static_cast<std::int64_t>(samples.value().size())},
            resampled_length(header.value().samples, header.value().rate, SampleRate{32000}));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    AudioFormatTest,
    testing::Values(Format{"WavU8", {SF_FORMAT_WAV | SF_FORMAT_PCM_U8}, "pcm_u8", 0.01},
                    Format{"WavS16", {SF_FORMAT_WAV | SF_FORMAT_PCM_16}, "pcm_s16", 1e-4},
                    Format{"WavS24", {SF_FORMAT_WAV | SF_FORMAT_PCM_24}, "pcm_s24", 1e-6},
                    Format{"WavS32", {SF_FORMAT_WAV | SF_FORMAT_PCM_32}, "pcm_s32", 1e-6},
                    Format{"WavF32", {SF_FORMAT_WAV | SF_FORMAT_FLOAT}, "pcm_f32", 1e-9},
                    Format{"WavF64", {SF_FORMAT_WAV | SF_FORMAT_DOUBLE}, "pcm_f64", 1e-9},
                    Format{"WavexS24", {SF_FORMAT_WAVEX | SF_FORMAT_PCM_24}, "pcm_s24", 1e-6},
                    Format{"WavexF32", {SF_FORMAT_WAVEX | SF_FORMAT_FLOAT}, "pcm_f32", 1e-9},
                    Format{"WavUlaw", {SF_FORMAT_WAV | SF_FORMAT_ULAW}, "ulaw", 0.01},
                    Format{"WavAdpcm", {SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM}, "ima_adpcm", 0.01},
                    Format{"Flac16", {SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, "flac", 1e-4},
                    Format{"Flac24", {SF_FORMAT_FLAC | SF_FORMAT_PCM_24}, "flac", 1e-6},
                    Format{"Vorbis", {SF_FORMAT_OGG | SF_FORMAT_VORBIS}, "vorbis", 0.02},
                    Format{"Opus", {SF_FORMAT_OGG | SF_FORMAT_OPUS, 24000}, "opus", 0.05},
                    Format{"Aiff", {SF_FORMAT_AIFF | SF_FORMAT_PCM_16}, "pcm_s16", 1e-4},
                    Format{"Rf64", {SF_FORMAT_RF64 | SF_FORMAT_PCM_16}, "pcm_s16", 1e-4},
                    Format{"W64", {SF_FORMAT_W64 | SF_FORMAT_PCM_16}, "pcm_s16", 1e-4},
                    Format{"Caf", {SF_FORMAT_CAF | SF_FORMAT_PCM_16}, "pcm_s16", 1e-4}),
    [](const auto& param) { return param.param.name; });

// libsndfile keeps one reason for all threads.
TEST_F(AudioDecoderTest, EachOfTwoThreadsIsToldWhyItsOwnFileIsUnreadable) {
  const std::filesystem::path unknown = write_bytes("a.ogg", std::string(64, '\x01'));
  const std::filesystem::path damaged = write_bytes("b.aiff",
                                                    std::string("FORM\0\0\0\x10"
                                                                "AIFFCOMM\0\0\0\x02\0\1",
                                                                22));
  const auto reason = [](const std::filesystem::path& path) {
    return read_audio_header(path).failure().what;
  };
  const std::string of_unknown = reason(unknown);
  const std::string of_damaged = reason(damaged);
  ASSERT_NE(of_unknown, of_damaged);

  const auto count_wrong = [&](const std::filesystem::path& path, const std::string& expected) {
    int wrong = 0;
    for (int i = 0; i < 2000; ++i) {
      wrong += reason(path) == expected ? 0 : 1;
    }
    return wrong;
  };
  std::future<int> other =
      std::async(std::launch::async, [&] { return count_wrong(damaged, of_damaged); });

  EXPECT_EQ(count_wrong(unknown, of_unknown), 0);
  EXPECT_EQ(other.get(), 0);
}

// Constant rate at 22050 Hz gets no Xing tag from LAME, the others do.
struct Mp3 {
  std::string name;
  int bitrate_mode;
  int rate;
  std::size_t samples;
};

class Mp3Test : public AudioFilesTest, public testing::WithParamInterface<Mp3> {
 protected:
  std::filesystem::path write_mp3(const Mp3& mp3) const {
    SF_INFO info{};
    info.samplerate = mp3.rate;
    info.channels = 1;
    info.format = SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III;
    SNDFILE* out = sf_open(file("a.mp3").c_str(), SFM_WRITE, &info);
    EXPECT_NE(out, nullptr) << sf_strerror(nullptr);
    int mode = mp3.bitrate_mode;
    sf_command(out, SFC_SET_BITRATE_MODE, &mode, sizeof(mode));
    // Loud and quiet by turns, so that a variable bitrate varies.
    std::vector<float> wave = sine(440, mp3.rate, mp3.samples);
    for (std::size_t i = 0; i < wave.size(); ++i) {
      wave[i] *= i % 16000 < 8000 ? 1.0F : 0.001F;
    }
    sf_writef_float(out, wave.data(), static_cast<sf_count_t>(wave.size()));
    sf_close(out);
    return file("a.mp3");
  }
};

TEST_P(Mp3Test, DecodesToTheLengthTheHeaderPromises) {
  const auto path = write_mp3(GetParam());

  const Result<AudioHeader> header = read_audio_header(path);
  AudioDecoder decoder(SampleRate{GetParam().rate});
  const auto samples = decoder.decode(path);

  ASSERT_TRUE(header) << header.failure().what;
  EXPECT_EQ(header.value().encoding, "mp3");
  EXPECT_EQ(header.value().channels, 1);
  ASSERT_TRUE(samples) << samples.failure().what;
  EXPECT_EQ(static_cast<std::int64_t>(samples.value().size()), header.value().samples.value);
  EXPECT_NEAR(static_cast<double>(header.value().samples.value),
              static_cast<double>(GetParam().samples),
              2304);
}

INSTANTIATE_TEST_SUITE_P(
    Modes,
    Mp3Test,
    testing::Values(Mp3{"Constant22", SF_BITRATE_MODE_CONSTANT, 22050, 200'000},
                    Mp3{"Average22", SF_BITRATE_MODE_AVERAGE, 22050, 200'001},
                    Mp3{"Variable22", SF_BITRATE_MODE_VARIABLE, 22050, 99'999},
                    Mp3{"Variable44", SF_BITRATE_MODE_VARIABLE, 44100, 70'001},
                    Mp3{"Constant48", SF_BITRATE_MODE_CONSTANT, 48000, 1000}),
    [](const auto& param) { return param.param.name; });

TEST_F(Mp3Test, KeepsEverySampleOfAVariableBitrateWithoutATag) {
  const auto path = write_mp3({"", SF_BITRATE_MODE_VARIABLE, 22050, 200'000});
  const std::string bytes = read_bytes(path);
  const std::size_t second_frame = bytes.find("\xff\xf3", 4);
  write_bytes("tagless.mp3", std::string_view(bytes).substr(second_frame));

  const Result<AudioHeader> header = read_audio_header(file("tagless.mp3"));
  AudioDecoder decoder(kTarget);
  const auto samples = decoder.decode(file("tagless.mp3"));

  ASSERT_TRUE(header) << header.failure().what;
  EXPECT_GE(header.value().samples.value, 200'000);
  ASSERT_TRUE(samples) << samples.failure().what;
  EXPECT_EQ(static_cast<std::int64_t>(samples.value().size()), header.value().samples.value);
}

TEST_F(Mp3Test, SaysThatAFileCutShortOfItsTagIsTruncated) {
  const auto path = write_mp3({"", SF_BITRATE_MODE_VARIABLE, 22050, 200'000});
  const std::string bytes = read_bytes(path);
  write_bytes("cut.mp3", std::string_view(bytes).substr(0, bytes.size() / 2));

  const Result<AudioHeader> header = read_audio_header(file("cut.mp3"));

  ASSERT_FALSE(header);
  EXPECT_THAT(header.failure().what, HasSubstr("truncated: header says 200000 samples"));
}

TEST_F(Mp3Test, FindsTheAudioBehindAnId3Tag) {
  const auto path = write_mp3({"", SF_BITRATE_MODE_VARIABLE, 22050, 50'000});
  const std::string tag =
      std::string("ID3\x04\x00\x00\x00\x00\x02\x00", 10) + std::string(256, 'x');
  write_bytes("tagged.mp3", tag + read_bytes(path));

  EXPECT_EQ(read_audio_header(file("tagged.mp3")).value(), read_audio_header(path).value());
}

}  // namespace
}  // namespace qanat
