#include "model/aligner.h"

#include <torch/torch.h>

#include "model/layers.h"

namespace qanat {
namespace {

constexpr double kTemperature = 0.05;  // of squared distances between normalised vectors
constexpr double kNever = -1e4;        // log of a probability that is 0 in single precision

TimeConvolution convolution(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  return TimeConvolution(TimeConvolutionOptions{.in = in, .out = out, .kernel = kernel});
}

// -temperature * |q - k|^2 for every pair: [B, T, C], [B, N, C] -> [B, T, N].
torch::Tensor negative_distances(const torch::Tensor& queries, const torch::Tensor& keys) {
  const torch::Tensor key_norms = keys.square().sum(2).unsqueeze(1);  // [B, 1, N]
  // |q|^2 is the same for all tokens of a frame: the softmax would take it out again.
  return torch::baddbmm(key_norms, queries, keys.transpose(1, 2), -kTemperature, 2 * kTemperature);
}

}  // namespace

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

AlignerImpl::AlignerImpl(const ModelShape& shape) {
  const std::int64_t text = shape.text_width, mel = shape.mel_bins;
  key_in_ = register_module("key_in", convolution(text, 2 * text, 3));
  key_out_ = register_module("key_out", convolution(2 * text, mel, 1));
  query_in_ = register_module("query_in", convolution(mel, 2 * mel, 3));
  query_inner_ = register_module("query_inner", convolution(2 * mel, mel, 1));
  query_out_ = register_module("query_out", convolution(mel, mel, 1));
}

torch::Tensor AlignerImpl::keys(const torch::Tensor& embedded, const torch::Tensor& valid) {
  return key_out_(torch::silu(key_in_(embedded * valid)));
}

torch::Tensor AlignerImpl::queries(const torch::Tensor& mel, const torch::Tensor& valid) {
  const torch::Tensor x = torch::silu(query_in_(mel * valid));
  return query_out_(torch::silu(query_inner_(x)));
}

torch::Tensor AlignerImpl::forward(const torch::Tensor& embedded,
                                   const torch::Tensor& mel,
                                   const AlignmentLengths& lengths) {
  const SinglePrecision single_precision;
  const auto options = mel.options();
  const SequenceMask tokens = make_sequence_mask(lengths.tokens, lengths.max_tokens, options);
  const SequenceMask frames = make_sequence_mask(lengths.frames, lengths.max_frames, options);
  const torch::Tensor padding = tokens.valid.transpose(1, 2) == 0;  // [B, 1, N]
  const torch::Tensor distances =
      negative_distances(queries(mel, frames.valid), keys(embedded, tokens.valid));
  const torch::Tensor fit = torch::log_softmax(distances.masked_fill(padding, kNever), 2);
  return (fit + log_alignment_prior(lengths)).masked_fill(padding, kNever);
}

}  // namespace qanat
