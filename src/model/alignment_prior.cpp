#include "model/alignment_prior.h"

#include <torch/torch.h>

namespace qanat {

// With n = tokens - 1, a = t + 1, b = frames - t the log of
//   choose(n, k) Beta(k + a, n - k + b) / Beta(a, b)
// is by_frame(t) + by_token(k) + by_sum(k + t): three short vectors per row, in double because the
// logarithms of gamma functions are large and their sum is not.
torch::Tensor log_alignment_prior(const AlignmentLengths& lengths) {
  const auto options = lengths.tokens.options().dtype(torch::kFloat64);
  const torch::Tensor n = (lengths.tokens - 1).to(torch::kFloat64).unsqueeze(1);  // [B, 1]
  const torch::Tensor frames = lengths.frames.to(torch::kFloat64).unsqueeze(1);   // [B, 1]

  const torch::Tensor t = torch::arange(lengths.max_frames, options).unsqueeze(0);
  const torch::Tensor b = torch::clamp_min(frames - t, 1);
  const torch::Tensor by_frame = torch::lgamma(frames + 1) - torch::lgamma(t + 1) -
                                 torch::lgamma(b) - torch::lgamma(n + frames + 1);  // [B, T]

  const torch::Tensor k = torch::arange(lengths.max_tokens, options).unsqueeze(0);
  const torch::Tensor by_token = torch::lgamma(n + 1) - torch::lgamma(k + 1) -
                                 torch::lgamma(torch::clamp_min(n - k, 0) + 1);  // [B, N]

  const std::int64_t sums = lengths.max_frames + lengths.max_tokens;
  const torch::Tensor s = torch::arange(sums, options).unsqueeze(0);
  const torch::Tensor by_sum =
      torch::lgamma(s + 1) + torch::lgamma(torch::clamp_min(n + frames - s, 1));  // [B, T + N]
  // Entry (t, k) is by_sum[t + k]: a view whose rows begin one later each.
  const torch::Tensor shifted =
      by_sum.as_strided({by_sum.size(0), lengths.max_frames, lengths.max_tokens}, {sums, 1, 1});
  return (shifted + by_frame.unsqueeze(2) + by_token.unsqueeze(1)).to(torch::kFloat32);
}

}  // namespace qanat
