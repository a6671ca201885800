// Files that are in every large data set: what is wrong with each has to be said, by the header
// reader and by the decoder alike, without a crash, a hang or a large allocation.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audio/audio_decoder.h"
#include "audio/audio_facts.h"
#include "audio/audio_source.h"
#include "audio/test_audio.h"

// libsndfile 1.2.0 leaks a few kB when it refuses a damaged Vorbis file; ours are still found.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the name LeakSanitizer asks for
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libvorbis.so\n";
}

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class AudioDamageTest : public AudioFilesTest {
 protected:
  std::string header_failure(const std::filesystem::path& path) const {
    const auto header = read_audio_header(path);
    return header ? "no failure" : header.failure().what;
  }

  std::string decode_failure(const std::filesystem::path& path) const {
    AudioDecoder decoder(SampleRate{22050});
    const auto samples = decoder.decode(path);
    const auto pcm = decoder.decode_pcm16(path);
    if (samples || pcm) {
      return "no failure";
    }
    EXPECT_EQ(samples.failure(), pcm.failure());
    return samples.failure().what;
  }

  // Most damage is seen by all three.
  void expect_failure(const std::filesystem::path& path, const std::string& reason) const {
    const std::string expected = path.string() + ": " + reason;
    EXPECT_THAT(header_failure(path), StartsWith(expected));
    EXPECT_THAT(decode_failure(path), StartsWith(expected));
    const auto facts = inspect_audio(path);
    ASSERT_FALSE(facts);
    EXPECT_THAT(facts.failure().what, StartsWith(expected));
  }
};

TEST_F(AudioDamageTest, MissingFile) {
  expect_failure(file("nowhere.wav"), "cannot open: No such file");
}

TEST_F(AudioDamageTest, DanglingLink) {
  std::filesystem::create_symlink(file("nowhere.wav"), file("link.wav"));

  expect_failure(file("link.wav"), "cannot open: No such file");
}

TEST_F(AudioDamageTest, Folder) {
  std::filesystem::create_directory(file("folder.wav"));

  expect_failure(file("folder.wav"), "is a folder");
}

TEST_F(AudioDamageTest, NamedPipeWithoutAWriter) {
  ASSERT_EQ(::mkfifo(file("pipe.wav").c_str(), 0644), 0);

  expect_failure(file("pipe.wav"), "not a regular file");
}

TEST_F(AudioDamageTest, NoPermission) {
  const auto path = write_bytes("secret.wav", to_bytes({}));
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  const bool is_root = ::geteuid() == 0;  // whom no mode stops: be nobody for a moment
  if (is_root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }

  expect_failure(path, "cannot open: Permission denied");

  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
}

TEST_F(AudioDamageTest, ZeroBytes) {
  expect_failure(write_bytes("empty.wav", ""), "empty file: 0 bytes");
}

TEST_F(AudioDamageTest, TextRenamedToWav) {
  expect_failure(write_bytes("text.wav", "This is not audio.\nReally not.\n"),
                 "not audio: the file holds text");
}

TEST_F(AudioDamageTest, RandomBytes) {
  std::string bytes(1000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * i * 31 + 7);
  }

  expect_failure(write_bytes("noise.wav", bytes), "not readable as audio");
}

TEST_F(AudioDamageTest, HeaderOnlyInPart) {
  expect_failure(write_bytes("stub.wav", to_bytes({}).substr(0, 30)), "truncated: chunk 'fmt '");
  expect_failure(write_bytes("riff.wav", "RIFF"), "not audio");
}

TEST_F(AudioDamageTest, TruncatedWav) {
  write_sndfile(file("a.wav"), {}, sine(440, 22050, 10'000));
  std::filesystem::resize_file(file("a.wav"), 44 + 2 * 6000);

  expect_failure(file("a.wav"), "truncated: header says 10000 samples, file holds 6000");
}

TEST_F(AudioDamageTest, TruncatedFlacIsFoundByTheDecoder) {
  write_sndfile(
      file("a.flac"), {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, sine(440, 22050, 50'000));
  std::filesystem::resize_file(file("a.flac"), std::filesystem::file_size(file("a.flac")) / 2);

  EXPECT_THAT(decode_failure(file("a.flac")),
              HasSubstr("truncated: header says 50000 samples, file holds"));
}

TEST_F(AudioDamageTest, TruncatedVorbis) {
  write_sndfile(
      file("a.ogg"), {.format = SF_FORMAT_OGG | SF_FORMAT_VORBIS}, sine(440, 22050, 50'000));
  std::filesystem::resize_file(file("a.ogg"), std::filesystem::file_size(file("a.ogg")) / 2);

  expect_failure(file("a.ogg"), "");
}

// The checksum of an Ogg page (polynomial 0x04c11db7, highest bit first) over the page with a zero
// in its place.
std::uint32_t ogg_checksum(std::string_view page) {
  std::uint32_t sum = 0;
  for (const char byte : page) {
    sum ^= static_cast<std::uint32_t>(static_cast<unsigned char>(byte)) << 24U;
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum << 1U) ^ ((sum >> 31U) * 0x04c11db7U);
    }
  }
  return sum;
}

// Makes the first packet of the last page one that no Opus encoder writes ("any number of frames",
// and then none), and the page's checksum right again: only libopus can tell.
void break_last_packet(std::string& ogg) {
  constexpr std::size_t kChecksum = 22;
  constexpr std::size_t kSegments = 26;
  const std::size_t page = ogg.rfind("OggS");
  const std::size_t packet =
      page + kSegments + 1 + static_cast<unsigned char>(ogg.at(page + kSegments));
  ogg.at(packet) = static_cast<char>(ogg.at(packet) | 3);
  ogg.at(packet + 1) = 0;
  ogg.replace(page + kChecksum, 4, 4, '\0');
  const std::uint32_t sum = ogg_checksum(std::string_view(ogg).substr(page));
  ogg.replace(page + kChecksum, 4, little_endian(sum));
}

TEST_F(AudioDamageTest, APacketThatDoesNotDecodeIsFoundByTheDecoder) {
  write_sndfile(file("a.opus"),
                {SF_FORMAT_OGG | SF_FORMAT_OPUS, 24000},
                sine(440, 24000, std::size_t{3} * 24000));
  std::string bytes = read_bytes(file("a.opus"));
  ASSERT_EQ(decode_failure(file("a.opus")), "no failure");
  break_last_packet(bytes);

  EXPECT_THAT(decode_failure(write_bytes("broken.opus", bytes)), HasSubstr("damaged: "));
}

TEST_F(AudioDamageTest, NoChannels) {
  expect_failure(write_bytes("a.wav", to_bytes({.channels = 0})), "0 channels; expected 1 to 64");
}

TEST_F(AudioDamageTest, NoSamples) {
  write_sndfile(file("a.wav"), {}, {});
  write_sndfile(file("a.flac"), {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, {});

  expect_failure(file("a.wav"), "no samples");
  expect_failure(file("a.flac"), "");
}

// 0.2 of a sample at the target rate.
TEST_F(AudioDamageTest, TooFewSamplesForTheTargetRate) {
  write_sndfile(file("a.wav"), {.rate = 96000}, {0.5F});

  EXPECT_THAT(decode_failure(file("a.wav")), HasSubstr("too short: 1 samples at 96000 Hz"));
}

TEST_F(AudioDamageTest, LongerThanAnHour) {
  // 40 hours of nothing in 36 kB, which must not become 40 hours of memory.
  WavFields fields{.rate = 1000, .data_size = 0, .data = ""};
  fields.riff_size = 0;
  const auto path = write_bytes("sparse.wav", to_bytes(fields));
  std::filesystem::resize_file(path, 44 + 2 * 1000LL * 3600 * 40);

  expect_failure(path, "144000000 samples at 1000 Hz are longer than an hour");
}

TEST_F(AudioDamageTest, SamplesThatAreNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const SndfileFormat stereo{.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT, .channels = 2};
  write_sndfile(file("nan.wav"), stereo, {0.1F, 0.1F, nan, 0.1F});
  write_sndfile(file("inf.wav"), stereo, {0.1F, 0.1F, inf, -inf});

  EXPECT_THAT(decode_failure(file("nan.wav")), HasSubstr("not finite (NaN or infinity)"));
  EXPECT_THAT(decode_failure(file("inf.wav")), HasSubstr("not finite (NaN or infinity)"));
}

TEST_F(AudioDamageTest, FloatsInTheUnitOfIntegers) {
  write_sndfile(file("a.wav"), {.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT}, {0.0F, 12000.0F});

  const std::string reason = "samples reach 12000; expected -1 to 1";
  EXPECT_THAT(decode_failure(file("a.wav")), HasSubstr(reason));
  EXPECT_THAT(inspect_audio(file("a.wav")).failure().what, HasSubstr(reason));
}

// FLAC, which has a reader of its own, is what libsndfile is seen to report damage of.
TEST_F(AudioDamageTest, WhatLibsndfileFindsWhileItReads) {
  write_sndfile(
      file("a.flac"), {.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, sine(440, 22050, 50'000));
  std::string bytes = read_bytes(file("a.flac"));
  bytes[bytes.size() / 2] ^= 1;
  const Result<AudioFile> damaged = open_audio_file(write_bytes("damaged.flac", bytes));
  ASSERT_TRUE(damaged);
  const Result<AudioSourcePtr> source = open_sndfile_source(damaged.value());
  ASSERT_TRUE(source) << source.failure().what;

  std::vector<float> samples(50'000);
  const Result<std::size_t> got = source.value()->read(samples);

  ASSERT_FALSE(got);
  EXPECT_THAT(got.failure().what, HasSubstr("lost sync"));
}

TEST_F(AudioDamageTest, ADecoderWorksOnAfterEachFailure) {
  AudioDecoder decoder(SampleRate{22050});
  write_sndfile(file("good.wav"), {.rate = 16000}, sine(440, 16000, 1600));
  write_sndfile(file("nan.wav"),
                {.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT, .rate = 16000},
                {std::numeric_limits<float>::quiet_NaN()});
  const auto before = decoder.decode(file("good.wav"));
  ASSERT_TRUE(before);
  const std::vector<float> expected(before.value().begin(), before.value().end());
  ASSERT_FALSE(decoder.decode(file("nan.wav")));
  ASSERT_FALSE(decoder.decode(file("nowhere.wav")));

  EXPECT_THAT(decoder.decode(file("good.wav")).value(), testing::ElementsAreArray(expected));
}

}  // namespace
}  // namespace qanat
