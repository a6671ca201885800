#include "audio/wav_stream.h"

#include <cmath>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "audio/wav_writer.h"
#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

std::filesystem::path place(const char* name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

std::vector<float> hum(std::size_t samples) {
  std::vector<float> wave(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    wave[i] = 0.5F * std::sin(0.03F * static_cast<float>(i));
  }
  return wave;
}

TEST(WavStreamTest, InPiecesIsTheFileThatIsWrittenAtOnce) {
  const std::vector<float> wave = hum(1000);
  write_wav(place("whole.wav"), wave, SampleRate{22050});

  WavStream stream(place("stream.wav"), SampleRate{22050});
  stream.write(std::span(wave).first(300));
  stream.write(std::span(wave).subspan(300));
  stream.finish();

  EXPECT_EQ(read_text_file(place("stream.wav")).value(),
            read_text_file(place("whole.wav")).value());
  EXPECT_EQ(stream.samples(), 1000);
}

TEST(WavStreamTest, WhatIsWrittenIsThereBeforeTheEnd) {
  WavStream stream(place("early.wav"), SampleRate{22050});
  stream.write(hum(100));

  EXPECT_EQ(std::filesystem::file_size(place("early.wav")), 44U + 200U);
}

TEST(WavStreamTest, AFileThatCannotBeMadeIsAnError) {
  EXPECT_THROW(WavStream("/nowhere/at/all.wav", SampleRate{22050}), Error);
}

}  // namespace
}  // namespace qanat
