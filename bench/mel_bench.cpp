// What log-mel costs per frame, against the FFT alone: FFTW's single-precision real transform of
// the same size with a measured plan, which users of FFTW would take.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fftw3.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/time.h"
#include "bench_main.h"
#include "features/mel_extractor.h"

namespace qanat {
namespace {

constexpr int kFrames = 447;  // of an average LJSpeech clip

struct MelBenchOptions {
  int rounds = 301;
  bool json = false;
  std::string json_file;  // empty: standard output
};

std::vector<std::int16_t> noise(std::size_t samples) {
  std::vector<std::int16_t> result(samples);
  std::uint32_t state = 1;
  for (std::int16_t& sample : result) {
    state = state * 1664525U + 1013904223U;
    sample = static_cast<std::int16_t>(static_cast<std::int32_t>(state >> 16) - 32768);
  }
  return result;
}

// As many transforms as there are frames, over a few frames in turn.
class FftwTransforms {
 public:
  explicit FftwTransforms(int size)
      : size_(size),
        in_(fftwf_alloc_real(static_cast<std::size_t>(size * kInTurn))),
        out_(fftwf_alloc_complex(static_cast<std::size_t>(out_size() * kInTurn))),
        plan_(fftwf_plan_dft_r2c_1d(size, in_.get(), out_.get(), FFTW_MEASURE)) {
    std::fill_n(in_.get(), size * kInTurn, 0.5F);
  }

  void run() {
    for (int f = 0; f < kFrames; ++f) {
      const int turn = f % kInTurn;
      fftwf_execute_dft_r2c(plan_.get(), in_.get() + turn * size_, out_.get() + turn * out_size());
    }
  }

 private:
  static constexpr int kInTurn = 8;
  // Bins, and some more: the plan expects outputs to be aligned like the one it was made for.
  int out_size() const { return size_ / 2 + 8; }

  struct Free {
    void operator()(void* block) const { fftwf_free(block); }
    void operator()(fftwf_plan plan) const { fftwf_destroy_plan(plan); }
  };

  int size_;
  std::unique_ptr<float[], Free> in_;
  std::unique_ptr<fftwf_complex[], Free> out_;
  std::unique_ptr<std::remove_pointer_t<fftwf_plan>, Free> plan_;
};

// Extraction by one set of kernels.
class Extraction {
 public:
  explicit Extraction(const MelKernels& kernels)
      : extractor_({}, kernels),
        pcm_(noise(static_cast<std::size_t>(kFrames * extractor_.config().hop))),
        out_(static_cast<std::size_t>(kFrames * extractor_.config().mel_bins)) {
    for (const std::int16_t sample : pcm_) {
      samples_.push_back(static_cast<float>(sample) / 32768.0F);
    }
  }

  void run_pcm16() { extractor_.extract(pcm_, out_); }
  void run_float() { extractor_.extract(samples_, out_); }

 private:
  MelExtractor extractor_;
  std::vector<std::int16_t> pcm_;
  std::vector<float> samples_;
  std::vector<float> out_;
};

template <typename Work>
double ns_per_frame(Work&& work) {
  const Clock::time_point start = Clock::now();
  work();
  return seconds_since(start).count() * 1e9 / kFrames;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Column {
  std::string key;
  std::vector<double> values;  // one a round

  double median() const { return quantile(values, 0.5); }
};

// Everything in turn, again and again: what else runs on the machine slows all down alike.
std::vector<Column> measure(int rounds) {
  FftwTransforms fft(MelConfig{}.fft_size);
  Extraction fastest(usable_mel_kernels().front());
  Extraction baseline(baseline_mel_kernels());
  std::vector<Column> columns = {{"fft_ns_per_frame", {}},
                                 {"mel_ns_per_frame", {}},
                                 {"mel_float_ns_per_frame", {}},
                                 {"mel_baseline_ns_per_frame", {}},
                                 {"mel_cost_over_fft", {}}};
  for (int round = 0; round < rounds; ++round) {
    columns[0].values.push_back(ns_per_frame([&] { fft.run(); }));
    columns[1].values.push_back(ns_per_frame([&] { fastest.run_pcm16(); }));
    columns[2].values.push_back(ns_per_frame([&] { fastest.run_float(); }));
    columns[3].values.push_back(ns_per_frame([&] { baseline.run_pcm16(); }));
    columns[4].values.push_back(columns[1].values.back() / columns[0].values.back());
  }
  return columns;
}

void print_table(const std::vector<Column>& columns) {
  fmt::print("kernels: {}\n", usable_mel_kernels().front().name);
  fmt::print("{:28}{:>10}{:>10}{:>10}\n", "", "median", "p10", "p90");
  for (const Column& column : columns) {
    fmt::print("{:28}{:>10.4g}{:>10.4g}{:>10.4g}\n",
               column.key,
               column.median(),
               quantile(column.values, 0.1),
               quantile(column.values, 0.9));
  }
}

nlohmann::json to_json(const std::vector<Column>& columns) {
  nlohmann::json object = {{"kernels", usable_mel_kernels().front().name},
                           {"rounds", columns.front().values.size()}};
  for (const Column& column : columns) {
    object[column.key] = column.median();
    object[column.key + "_p10"] = quantile(column.values, 0.1);
    object[column.key + "_p90"] = quantile(column.values, 0.9);
  }
  return object;
}

void run(const MelBenchOptions& options) {
  const std::vector<Column> columns = measure(options.rounds);
  if (!options.json || !options.json_file.empty()) {
    print_table(columns);
  }
  if (!options.json) {
    return;
  }
  if (options.json_file.empty()) {
    std::cout << to_json(columns).dump() << '\n';
  } else if (!(std::ofstream(options.json_file) << to_json(columns).dump(2) << '\n').flush()) {
    throw Error("{}: cannot be written", options.json_file);
  }
}

int run_program(int argc, char** argv) {
  MelBenchOptions options;
  bool quick = false;
  CLI::App app("Measures log-mel extraction against its FFT.", "qanat_mel_bench");
  app.add_option("--rounds", options.rounds, "rounds of everything in turn")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", quick, "few rounds, to see that it runs");
  const CLI::Option* json =
      app.add_option("--json", options.json_file, "write one JSON object, to a file or stdout")
          ->expected(0, 1);
  CLI11_PARSE(app, argc, argv);
  options.json = json->count() > 0;
  options.rounds = quick ? 15 : options.rounds;
  run(options);
  return 0;
}

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  return qanat::run_bench("qanat_mel_bench", [&] { return qanat::run_program(argc, argv); });
}
