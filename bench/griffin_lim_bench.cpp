// How fast Griffin-Lim is and how near it comes: a sound to its log-mel, that back to sound, and
// its log-mel again. One thread. Without FILE a glide with overtones, the same on every machine.
#include "features/griffin_lim.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "audio/audio_decoder.h"
#include "base/error.h"
#include "base/time.h"
#include "bench_main.h"
#include "features/mel_extractor.h"

namespace qanat {
namespace {

constexpr double kRate = 22050;

std::vector<float> glide(std::size_t samples) {
  std::vector<float> wave(samples);
  std::uint32_t noise = 1;
  double phase = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const double t = static_cast<double>(i) / kRate;
    phase += 2 * std::numbers::pi * (140 + 30 * std::sin(5 * t)) / kRate;
    double sample = 0;
    for (int k = 1; k <= 30; ++k) {
      const double formant = std::exp(-std::pow((k * 140 - 700 - 500 * std::sin(9 * t)) / 600, 2));
      sample += (0.02 + formant) / k * std::sin(k * phase);
    }
    noise = noise * 1664525U + 1013904223U;
    sample += 0.01 * (static_cast<double>(noise) / 0x1p32 - 0.5);
    wave[i] = static_cast<float>(0.2 * sample);
  }
  return wave;
}

std::vector<float> read_sound(const std::string& file) {
  if (file.empty()) {
    return glide(static_cast<std::size_t>(5 * kRate));
  }
  AudioDecoder decoder(MelConfig{}.sample_rate);
  const auto samples = decoder.decode(file);
  if (!samples) {
    throw Error(samples.failure().what);
  }
  return {samples.value().begin(), samples.value().end()};
}

std::vector<float> log_mel(std::span<const float> samples) {
  MelExtractor extractor;
  const MelConfig& config = extractor.config();
  std::vector<float> mel(samples.size() / static_cast<std::size_t>(config.hop) *
                         static_cast<std::size_t>(config.mel_bins));
  extractor.extract(samples, mel);
  return mel;
}

nlohmann::json measure(const std::string& file, int rounds) {
  const std::vector<float> mel = log_mel(read_sound(file));
  GriffinLim vocoder;
  std::vector<float> copy;
  std::vector<double> factors;
  for (int round = 0; round < rounds; ++round) {
    const Clock::time_point begin = Clock::now();
    copy = vocoder.synthesise(mel);
    factors.push_back(seconds_since(begin).count() * kRate / static_cast<double>(copy.size()));
  }
  std::ranges::sort(factors);
  const std::vector<float> again = log_mel(copy);
  double distance = 0;
  for (std::size_t i = 0; i < mel.size(); ++i) {
    distance += std::abs(again[i] - mel[i]) / static_cast<double>(mel.size());
  }
  return {{"griffin_lim_rtf", factors[factors.size() / 2]},
          {"griffin_lim_rtf_least", factors.front()},
          {"griffin_lim_rtf_greatest", factors.back()},
          {"griffin_lim_l1", distance},
          {"audio_s", static_cast<double>(copy.size()) / kRate},
          {"rounds", rounds}};
}

int run_program(int argc, char** argv) {
  int rounds = 15;
  bool quick = false;
  std::string file;
  CLI::App app("Measures Griffin-Lim on one thread.", "qanat_griffin_lim_bench");
  app.add_option("FILE", file, "recording to copy; none: a generated sound");
  app.add_option("--rounds", rounds, "rounds; the median counts")->check(CLI::PositiveNumber);
  app.add_flag("--quick", quick, "one round, to see that it runs");
  CLI11_PARSE(app, argc, argv);
  std::cout << measure(file, quick ? 1 : rounds).dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  return qanat::run_bench("qanat_griffin_lim_bench",
                          [&] { return qanat::run_program(argc, argv); });
}
