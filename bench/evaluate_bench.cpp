// How long `qanat evaluate` takes for its own measures: pairs of synthetic clips as long as those
// of LJSpeech are on average, analysed and compared on several threads.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numbers>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/for_each_item.h"
#include "base/time.h"
#include "bench_main.h"
#include "evaluate/clip_analysis.h"
#include "evaluate/pair_measures.h"

namespace qanat {
namespace {

constexpr double kRate = 22050;
constexpr double kSeconds = 6.57;

// A glide with overtones that pauses now and then, so that frames are voiced and unvoiced.
std::vector<float> spoken_glide(double pitch) {
  std::vector<float> wave(static_cast<std::size_t>(kSeconds * kRate));
  std::uint32_t noise = 1;
  double phase = 0;
  for (std::size_t i = 0; i < wave.size(); ++i) {
    const double t = static_cast<double>(i) / kRate;
    phase += 2 * std::numbers::pi * pitch * (1 + 0.2 * std::sin(5 * t)) / kRate;
    double sum = 0;
    for (int k = 1; k <= 20; ++k) {
      sum += std::sin(k * phase) / k;
    }
    noise = noise * 1664525U + 1013904223U;
    const double faint = 0.002 * (static_cast<double>(noise) / 0x1p32 - 0.5);
    wave[i] = static_cast<float>((std::sin(3 * t) > -0.5 ? 0.1 * sum : 0.0) + faint);
  }
  return wave;
}

nlohmann::json measure(std::size_t pairs, int threads) {
  const std::vector<float> reference = spoken_glide(180);
  const std::vector<float> made = spoken_glide(190);
  const ParallelOptions parallel{.threads = threads, .progress = {}, .stop = {}};
  std::vector<ClipAnalyser> analysers(static_cast<std::size_t>(num_threads(parallel)));
  std::vector<double> distortion(pairs);
  const Clock::time_point begin = Clock::now();
  for_each_item(pairs, parallel, [&](int worker, std::size_t at) {
    ClipAnalyser& analyser = analysers[static_cast<std::size_t>(worker)];
    distortion[at] = compare_clips(analyser.analyse(reference), analyser.analyse(made)).mcd;
  });
  const double seconds = seconds_since(begin).count();
  return {{"evaluate_seconds_per_100_pairs", seconds * 100 / static_cast<double>(pairs)},
          {"pairs", pairs},
          {"threads", num_threads(parallel)},
          {"clip_s", kSeconds},
          {"mcd_db", distortion.front()}};
}

int run_program(int argc, char** argv) {
  std::size_t pairs = 100;
  int threads = 0;
  bool quick = false;
  CLI::App app("Measures how long clips are analysed and compared.", "qanat_evaluate_bench");
  app.add_option("--pairs", pairs, "pairs of clips")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "threads; 0: one per core")->check(CLI::NonNegativeNumber);
  app.add_flag("--quick", quick, "two pairs, to see that it runs");
  CLI11_PARSE(app, argc, argv);
  std::cout << measure(quick ? 2 : pairs, threads).dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  return qanat::run_bench("qanat_evaluate_bench", [&] { return qanat::run_program(argc, argv); });
}
