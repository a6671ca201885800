// Small batches for the tests of the model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "model/model_batch.h"
#include "model/model_shape.h"

namespace qanat {

inline constexpr int kTestVocabulary = 40;

// Padded sizes of a batch and the lengths of its rows.
struct TestLengths {
  std::vector<std::int64_t> tokens = {9, 12, 5};
  std::vector<std::int64_t> frames = {37, 50, 23};
  std::vector<std::int64_t> reference = {20, 33, 11};
};

inline std::int64_t longest(const std::vector<std::int64_t>& lengths) {
  return *std::max_element(lengths.begin(), lengths.end());
}

// Length of the difference over the length of the oracle.
inline double relative_error(const torch::Tensor& value, const torch::Tensor& oracle) {
  const torch::Tensor exact = oracle.to(torch::kFloat64);
  return ((value.to(torch::kFloat64) - exact).norm() / exact.norm().clamp_min(1e-12))
      .item<double>();
}

// Random, the same for the same seed; padding holds what a loader would put there.
inline ModelBatch make_test_batch(std::uint64_t seed, const TestLengths& lengths = {}) {
  torch::manual_seed(seed);
  const auto rows = static_cast<std::int64_t>(lengths.tokens.size());
  const std::int64_t tokens = longest(lengths.tokens), frames = longest(lengths.frames);
  ModelBatch batch;
  batch.tokens = torch::randint(1, kTestVocabulary, {rows, tokens}, torch::kInt64);
  batch.token_lengths = torch::tensor(lengths.tokens);
  batch.mel = torch::randn({rows, frames, 80}) * 2 - 5.5;
  batch.mel_lengths = torch::tensor(lengths.frames);
  batch.reference = torch::randn({rows, longest(lengths.reference), 80}) * 2 - 5.5;
  batch.reference_lengths = torch::tensor(lengths.reference);
  batch.mel_weights = torch::zeros({rows, frames});
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    batch.tokens[row].slice(0, lengths.tokens[i]).zero_();
    batch.mel[row].slice(0, lengths.frames[i]).fill_(std::log(1e-5F));
    batch.mel_weights[row].slice(0, 0, lengths.frames[i]).fill_(1);
  }
  return batch;
}

// Every frame of a row shared among its tokens, as evenly as it goes: i64 [B, N].
inline torch::Tensor even_durations(const ModelBatch& batch) {
  const torch::Tensor durations = torch::zeros_like(batch.tokens);
  for (std::int64_t row = 0; row < batch.tokens.size(0); ++row) {
    const std::int64_t tokens = batch.token_lengths[row].item<std::int64_t>();
    const std::int64_t frames = batch.mel_lengths[row].item<std::int64_t>();
    for (std::int64_t n = 0; n < tokens; ++n) {
      durations[row][n] = frames * (n + 1) / tokens - frames * n / tokens;
    }
  }
  return durations;
}

}  // namespace qanat
