#include "model/forward_sum.h"

#include <atomic>

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "model/forward_sum_row.h"

namespace qanat {

namespace {

constexpr double kBlank = -1;  // log weight of a frame that belongs to no token

// A value that was computed together with its gradient.
struct WithGradient : torch::autograd::Function<WithGradient> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& /*log_probability*/,
                               const torch::Tensor& losses,
                               const torch::Tensor& gradient) {
    context->save_for_backward({gradient});
    return losses.clone();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list upstream) {
    const torch::Tensor gradient = context->get_saved_variables()[0];
    return {gradient * upstream[0].view({-1, 1, 1}), torch::Tensor(), torch::Tensor()};
  }
};

// Weights with that of "no token" before them: [B, T, N + 1].
torch::Tensor with_blank(const torch::Tensor& log_probability) {
  return torch::constant_pad_nd(log_probability, {1, 0}, kBlank);
}

struct RowResults {
  torch::Tensor losses;    // [B]
  torch::Tensor gradient;  // [B, T, N]
  bool exact = false;      // false: use logarithms instead
};

RowResults sum_rows(const torch::Tensor& log_probability,
                    const torch::Tensor& token_lengths,
                    const torch::Tensor& mel_lengths) {
  const torch::NoGradGuard no_grad;
  const std::int64_t batch = log_probability.size(0);
  const torch::Tensor probability = torch::softmax(with_blank(log_probability), 2);
  RowResults results{torch::empty({batch}), torch::zeros(log_probability.sizes())};
  auto p = probability.accessor<float, 3>();
  auto gradient = results.gradient.accessor<float, 3>();
  auto losses = results.losses.accessor<float, 1>();
  const torch::Tensor token_counts = token_lengths.contiguous();
  const torch::Tensor frame_counts = mel_lengths.contiguous();
  std::atomic<bool> exact = true;
  at::parallel_for(0, batch, 1, [&](std::int64_t begin, std::int64_t end) {
    ForwardSumWorkspace work;
    for (std::int64_t b = begin; b < end; ++b) {
      const std::optional<double> loss =
          forward_sum_row({.probability = p[b].data(),
                           .stride = p.stride(1),
                           .tokens = token_counts.data_ptr<std::int64_t>()[b],
                           .frames = frame_counts.data_ptr<std::int64_t>()[b],
                           .gradient = gradient[b].data(),
                           .gradient_stride = gradient.stride(1)},
                          work);
      losses[b] = static_cast<float>(loss.value_or(0));
      exact = exact && loss.has_value();
    }
  });
  results.exact = exact;
  return results;
}

}  // namespace

torch::Tensor forward_sum_by_logarithms(const torch::Tensor& log_probability,
                                        const torch::Tensor& token_lengths,
                                        const torch::Tensor& mel_lengths) {
  const std::int64_t tokens = log_probability.size(2);
  const torch::Tensor normal =
      torch::log_softmax(with_blank(log_probability), 2).transpose(0, 1);  // [T, B, N + 1]
  const torch::Tensor targets = torch::arange(1, tokens + 1, token_lengths.options())
                                    .unsqueeze(0)
                                    .expand({log_probability.size(0), tokens});
  return torch::ctc_loss(
      normal, targets, mel_lengths, token_lengths, /*blank=*/0, at::Reduction::None);
}

torch::Tensor forward_sum(const torch::Tensor& log_probability,
                          const torch::Tensor& token_lengths,
                          const torch::Tensor& mel_lengths) {
  if (log_probability.is_cpu() && log_probability.scalar_type() == torch::kFloat32) {
    const RowResults results = sum_rows(log_probability, token_lengths, mel_lengths);
    if (results.exact) {
      return WithGradient::apply(log_probability, results.losses, results.gradient);
    }
  }
  return forward_sum_by_logarithms(log_probability, token_lengths, mel_lengths);
}

}  // namespace qanat
