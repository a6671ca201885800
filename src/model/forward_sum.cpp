#include "model/forward_sum.h"

#include <torch/torch.h>

namespace qanat {

namespace {

constexpr double kBlank = -1;  // log weight of a frame that belongs to no token

}  // namespace

torch::Tensor forward_sum(const torch::Tensor& log_probability,
                          const torch::Tensor& token_lengths,
                          const torch::Tensor& mel_lengths) {
  const std::int64_t tokens = log_probability.size(2);
  const torch::Tensor classes = torch::constant_pad_nd(log_probability, {1, 0}, kBlank);
  const torch::Tensor normal = torch::log_softmax(classes, 2).transpose(0, 1);  // [T, B, N + 1]
  const torch::Tensor targets = torch::arange(1, tokens + 1, token_lengths.options())
                                    .unsqueeze(0)
                                    .expand({log_probability.size(0), tokens});
  return torch::ctc_loss(
      normal, targets, mel_lengths, token_lengths, /*blank=*/0, at::Reduction::None);
}

}  // namespace qanat
