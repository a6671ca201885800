#include "model/aligner.h"

#include "model/sequence_mask.h"
#include "model/single_precision.h"

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
