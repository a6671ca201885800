// The training step of the nano model, as the trainer does it, timed.
//
//   qanat_step_bench --case FILE --make   writes weights, inputs and the first loss to FILE
//   qanat_step_bench --case FILE          reads it, and prints {"loss": ..., "seconds": [...]}
//
// A step: alignment, search of durations, forward, losses, backward, clipping, AdamW.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "base/error.h"
#include "bench_main.h"
#include "checkpoint/safetensors.h"
#include "model/monotonic_search.h"
#include "train/speech_task.h"
#include "train/trained_model.h"

namespace {

using qanat::ModelBatch;
using qanat::TensorMap;
using qanat::TrainedModel;

constexpr int kVocabulary = 200;
constexpr double kLearningRate = 1e-4;
constexpr std::int64_t kRows = 16;
constexpr std::int64_t kFrames = 560;  // longest row; the mean is 447, as in LJSpeech
constexpr std::int64_t kTokens = 120;

struct Options {
  std::filesystem::path file;
  bool make = false;
  int threads = 1;
  int steps = 10;
};

TrainedModel make_model() {
  return qanat::make_trained_model(
      qanat::model_shape(qanat::ModelPreset::nano, kVocabulary), {}, 1, torch::kCPU);
}

qanat::MicrobatchOptions piece_options() {
  qanat::MicrobatchOptions options;
  options.weights.binarisation = 0.1;
  return options;
}

// 1 where a position is inside its row: f32 [rows, positions].
torch::Tensor inside(const torch::Tensor& lengths, std::int64_t positions) {
  return (torch::arange(positions).unsqueeze(0) < lengths.unsqueeze(1)).to(torch::kFloat32);
}

ModelBatch make_batch() {
  torch::manual_seed(2);
  ModelBatch batch;
  const torch::Tensor share = torch::linspace(0.6, 1.0, kRows);
  batch.token_lengths = (share * kTokens).round().to(torch::kInt64);
  batch.mel_lengths = (share * kFrames).round().to(torch::kInt64);
  batch.reference_lengths = torch::div(batch.mel_lengths, 2, "floor");
  batch.tokens = torch::randint(1, kVocabulary, {kRows, kTokens}, torch::kInt64);
  batch.mel = torch::randn({kRows, kFrames, 80}) * 2 - 5.5;
  batch.reference = torch::randn({kRows, kFrames / 2, 80}) * 2 - 5.5;
  batch.mel_weights = inside(batch.mel_lengths, kFrames);
  return batch;
}

TensorMap inputs_of(const ModelBatch& batch) {
  return {{"input.tokens", batch.tokens},
          {"input.token_lengths", batch.token_lengths},
          {"input.mel", batch.mel},
          {"input.mel_lengths", batch.mel_lengths},
          {"input.reference", batch.reference},
          {"input.reference_lengths", batch.reference_lengths},
          {"input.mel_weights", batch.mel_weights}};
}

// Mean over frames, without an update.
double first_loss(TrainedModel& model, const ModelBatch& batch) {
  const torch::Tensor sums = torch::zeros({qanat::kLossSums});
  qanat::MicrobatchGradient(model, piece_options(), [&] { return batch; }).run(sums);
  model.gradient.zero_();
  return sums[0].item<double>() / batch.mel_lengths.sum().item<double>();
}

void make_case(const Options& options) {
  TrainedModel model = make_model();
  const ModelBatch batch = make_batch();
  TensorMap tensors = inputs_of(batch);
  for (const auto& parameter : model.network->named_parameters()) {
    tensors["weight." + parameter.key()] = parameter.value();
  }
  tensors["input.durations"] = qanat::monotonic_durations(
      model.network->align(batch).log_probability.detach(), batch.token_lengths, batch.mel_lengths);
  qanat::write_safetensors(options.file, tensors, {});
}

void time_steps(const Options& options) {
  TrainedModel model = make_model();
  const ModelBatch batch = make_batch();
  const double loss = first_loss(model, batch);
  const double frames = batch.mel_lengths.sum().item<double>();
  const torch::Tensor sums = torch::zeros({qanat::kLossSums});
  std::vector<double> seconds;
  for (int step = 0; step < options.steps; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    qanat::MicrobatchGradient(model, piece_options(), [&] { return batch; }).run(sums);
    model.optimiser.update(model.weights, model.gradient, frames, kLearningRate);
    model.gradient.zero_();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  fmt::print("{{\"loss\": {:.7f}, \"seconds\": [{:.6f}]}}\n", loss, fmt::join(seconds, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Times the training step of the nano model.");
  app.add_option("--case", options.file, "file of weights and inputs")->required();
  app.add_flag("--make", options.make, "write the file instead of timing");
  app.add_option("--threads", options.threads, "of libtorch")->capture_default_str();
  app.add_option("--steps", options.steps, "timed steps")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return qanat::run_bench("qanat_step_bench", [&] {
    at::set_num_threads(options.threads);
    if (options.make) {
      make_case(options);
    } else {
      time_steps(options);
    }
    return 0;
  });
}
