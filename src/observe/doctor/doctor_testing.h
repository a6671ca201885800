// For tests of the doctor: clips that sound a little like speech, to be spoilt. Each is a row of
// syllables of harmonics with a falling spectrum, over a little noise.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "audio/wav_writer.h"

namespace qanat {

struct FakeSpeech {
  std::uint64_t seed = 1;
  double seconds = 2.0;  // of sound
  double pitch = 120;    // Hz
  double silence = 0.2;  // s before and after
  double noise = 0.0005;
  double tilt = 1.0;  // of the spectrum: the higher, the duller
};

inline std::vector<float> fake_speech(const FakeSpeech& how) {
  constexpr double kRate = 22050;
  std::mt19937 random(static_cast<std::uint32_t>(how.seed));
  const auto uniform = [&random] { return static_cast<double>(random()) / 4294967296.0; };
  std::vector<float> samples(static_cast<std::size_t>((how.seconds + 2 * how.silence) * kRate));
  for (float& sample : samples) {
    sample = static_cast<float>(how.noise * (2 * uniform() - 1));
  }
  std::vector<double> shape(static_cast<std::size_t>(0.2 * kRate));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = std::sin(std::numbers::pi * static_cast<double>(i) / kRate / 0.2);
  }
  for (double at = 0; at + 0.2 <= how.seconds; at += 0.25) {
    const double pitch = how.pitch * (0.9 + 0.2 * uniform());
    const double formant = 400 + 1200 * uniform();
    const auto first = static_cast<std::size_t>((how.silence + at) * kRate);
    for (int harmonic = 1; harmonic * pitch < 9000; ++harmonic) {
      const double hertz = harmonic * pitch;
      const double gain = 0.2 * std::pow(harmonic, -how.tilt) *
                          (1 + 3 * std::exp(-std::pow((hertz - formant) / 300, 2)));
      const double turn = 2 * std::numbers::pi * hertz / kRate;
      const double twice_cosine = 2 * std::cos(turn);
      double last = -std::sin(turn);
      double wave = 0;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        samples[first + i] += static_cast<float>(gain * 0.3 * shape[i] * wave);
        const double next = twice_cosine * wave - last;  // the sine, without its cost
        last = wave;
        wave = next;
      }
    }
  }
  return samples;
}

// A set of forty such clips below a folder of the test's own.
class DoctorTest : public testing::Test {
 protected:
  DoctorTest() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) /
            fmt::format("doctor-{}-{}-{}", test->test_suite_name(), test->name(), ::getpid());
    std::filesystem::create_directories(root_ / "wavs");
  }
  DoctorTest(const DoctorTest&) = delete;
  DoctorTest& operator=(const DoctorTest&) = delete;
  ~DoctorTest() override { std::filesystem::remove_all(root_); }

  static constexpr int kClips = 80;

  static FakeSpeech usual(int number) {
    return {.seed = static_cast<std::uint64_t>(number) + 1,
            .seconds = 1.5 + 0.25 * (number % 5),
            .silence = 0.15 + 0.01 * (number % 4)};
  }
  // About as many letters a second as people say.
  static std::string text(int number) {
    const std::vector<std::string> words = {"we",
                                            "saw",
                                            "seven",
                                            "gulls",
                                            "over",
                                            "the",
                                            "old",
                                            "pier",
                                            "and",
                                            "then",
                                            "it",
                                            "began",
                                            "to",
                                            "rain"};
    std::string line;
    for (int i = 0; line.size() < static_cast<std::size_t>(20 + 4 * (number % 5)); ++i) {
      line += words[static_cast<std::size_t>((number * 5 + i * 3 + number / 7) % 14)] + ' ';
    }
    return line + std::to_string(number);
  }

  void add(int number, const std::vector<float>& samples, const std::string& text) {
    write_wav(root_ / fmt::format("wavs/c{:03}.wav", number), samples, SampleRate{22050});
    rows_ += fmt::format("c{:03}|{}\n", number, text);
  }
  void add_usual_but(int skipped) {
    for (int number = 0; number < kClips; ++number) {
      if (number != skipped) {
        add(number, fake_speech(usual(number)), text(number));
      }
    }
  }
  void write_manifest() const { std::ofstream(root_ / "metadata.csv") << rows_; }

  std::filesystem::path root_;
  std::string rows_;
};

}  // namespace qanat
