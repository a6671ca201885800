// What the audio tests share: files of every format, made with libsndfile or byte by byte.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sndfile.h>

namespace qanat {

// A folder of one test case, gone after it.
class AudioFilesTest : public testing::Test {
 public:
  AudioFilesTest(const AudioFilesTest&) = delete;
  AudioFilesTest& operator=(const AudioFilesTest&) = delete;

 protected:
  AudioFilesTest() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("qanat_") + test->test_suite_name() + "_" + test->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = std::filesystem::path(testing::TempDir()) / name;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~AudioFilesTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(std::string_view name) const { return folder_ / name; }

  std::filesystem::path write_bytes(std::string_view name, std::string_view bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

  std::string read_bytes(const std::filesystem::path& path) const {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder_;
};

struct SndfileFormat {
  int format = SF_FORMAT_WAV | SF_FORMAT_PCM_16;
  int rate = 22050;
  int channels = 1;
};

inline void write_sndfile(const std::filesystem::path& path,
                          const SndfileFormat& format,
                          const std::vector<float>& interleaved) {
  SF_INFO info{};
  info.samplerate = format.rate;
  info.channels = format.channels;
  info.format = format.format;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  ASSERT_NE(file, nullptr) << sf_strerror(nullptr);
  const auto frames = static_cast<sf_count_t>(interleaved.size()) / format.channels;
  EXPECT_EQ(sf_writef_float(file, interleaved.data(), frames), frames);
  sf_close(file);
}

inline std::vector<float> sine(double hertz, int rate, std::size_t samples, double level = 0.5) {
  std::vector<float> wave(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const double angle = 2 * std::numbers::pi * hertz * static_cast<double>(i) / rate;
    wave[i] = static_cast<float>(level * std::sin(angle));
  }
  return wave;
}

template <typename T>
std::string little_endian(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// A WAV file whose every header field can be wrong.
struct WavFields {
  std::uint32_t riff_size = 36 + 8;
  std::uint32_t fmt_size = 16;
  std::uint16_t tag = 1;
  std::uint16_t channels = 1;
  std::uint32_t rate = 22050;
  std::uint16_t block = 2;
  std::uint16_t bits = 16;
  std::string fmt_rest;     // after the 16 bytes above
  std::string before_data;  // whole chunks
  std::uint32_t data_size = 8;
  std::string data = std::string("\x01\x00\x02\x00\x03\x00\x04\x00", 8);
  std::string after_data;
};

inline std::string to_bytes(const WavFields& f) {
  return "RIFF" + little_endian(f.riff_size) + "WAVEfmt " + little_endian(f.fmt_size) +
         little_endian(f.tag) + little_endian(f.channels) + little_endian(f.rate) +
         little_endian<std::uint32_t>(f.rate * f.block) + little_endian(f.block) +
         little_endian(f.bits) + f.fmt_rest + f.before_data + "data" + little_endian(f.data_size) +
         f.data + f.after_data;
}

}  // namespace qanat
