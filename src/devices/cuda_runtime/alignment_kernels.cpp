#include "cuda_runtime/alignment_kernels.h"

#include <algorithm>

#include <torch/torch.h>

namespace qanat {
namespace {

static_assert(sizeof(long long) == sizeof(std::int64_t));

// A thread for each token, in whole warps; further tokens are a second turn of the same threads.
int threads_for(std::int64_t tokens) {
  constexpr std::int64_t kWarp = 32;
  constexpr std::int64_t kMaxThreads = 1024;
  return static_cast<int>(std::min(kMaxThreads, (tokens + kWarp) / kWarp * kWarp));
}

// Keeps the lengths contiguous for as long as it lives.
struct Rows {
  explicit Rows(const AlignmentLengthTensors& lengths)
      : tokens(lengths.tokens.contiguous()), frames(lengths.frames.contiguous()) {}

  AlignmentRows arguments(const torch::Tensor& values, std::int64_t max_tokens) const {
    return {.tokens = reinterpret_cast<const long long*>(tokens.data_ptr<std::int64_t>()),
            .frames = reinterpret_cast<const long long*>(frames.data_ptr<std::int64_t>()),
            .max_tokens = static_cast<int>(max_tokens),
            .max_frames = static_cast<int>(values.size(1))};
  }
  AlignmentKernels::Grid grid(std::int64_t max_tokens) const {
    return {.rows = static_cast<int>(tokens.size(0)), .threads = threads_for(max_tokens)};
  }

  const torch::Tensor tokens;
  const torch::Tensor frames;
};

}  // namespace

ForwardSums forward_sums(AlignmentKernels& kernels,
                         const torch::Tensor& normal,
                         const AlignmentLengthTensors& lengths) {
  const torch::NoGradGuard no_grad;
  const Rows rows(lengths);
  const torch::Tensor weights = normal.contiguous();
  const std::int64_t batch = weights.size(0), frames = weights.size(1), width = weights.size(2);
  const auto doubles = weights.options().dtype(torch::kFloat64);
  torch::Tensor reached = torch::empty({batch, frames, width - 1}, doubles);
  torch::Tensor states = torch::empty({batch, 4, width}, doubles);
  ForwardSums sums{.losses = torch::empty({batch}, weights.options()),
                   .gradient = torch::zeros({batch, frames, width - 1}, weights.options())};
  kernels.forward_sum({.rows = rows.arguments(weights, width - 1),
                       .weights = weights.data_ptr<float>(),
                       .reached = reached.data_ptr<double>(),
                       .states = states.data_ptr<double>(),
                       .losses = sums.losses.data_ptr<float>(),
                       .gradient = sums.gradient.data_ptr<float>()},
                      rows.grid(width - 1));
  return sums;
}

torch::Tensor search_durations(AlignmentKernels& kernels,
                               const torch::Tensor& scores,
                               const AlignmentLengthTensors& lengths) {
  const torch::NoGradGuard no_grad;
  const Rows rows(lengths);
  const torch::Tensor values = scores.contiguous();
  const std::int64_t batch = values.size(0), frames = values.size(1), tokens = values.size(2);
  torch::Tensor best = torch::empty({batch, 2, tokens}, values.options());
  torch::Tensor advanced =
      torch::empty({batch, frames, tokens}, values.options().dtype(torch::kUInt8));
  torch::Tensor durations = torch::zeros({batch, tokens}, values.options().dtype(torch::kInt64));
  kernels.search_durations(
      {.rows = rows.arguments(values, tokens),
       .scores = values.data_ptr<float>(),
       .best = best.data_ptr<float>(),
       .advanced = advanced.data_ptr<std::uint8_t>(),
       .durations = reinterpret_cast<long long*>(durations.data_ptr<std::int64_t>())},
      rows.grid(tokens));
  return durations;
}

}  // namespace qanat
