// Which token is spoken in which frame, learned from the recording alone.
//
// Compares each frame with each token *embedding*: with context a token could pass for its
// neighbour, and on minutes of speech it would. Computes in single precision also under autocast.
#pragma once

#include "model/layers.h"
#include "model/model_shape.h"

namespace qanat {

struct AlignmentLengths {
  torch::Tensor tokens;         // i64 [B]
  torch::Tensor frames;         // i64 [B]
  std::int64_t max_tokens = 0;  // N
  std::int64_t max_frames = 0;  // T
};

// The prior probability of each token at each frame, before any audio: a diagonal band. It is the
// log of the beta-binomial distribution of the token, with parameters t + 1 and frames - t at frame
// t: f32 [B, T, N]; what it says behind the end of a row is finite and without meaning.
torch::Tensor log_alignment_prior(const AlignmentLengths& lengths);

class AlignerImpl : public torch::nn::Module {
 public:
  explicit AlignerImpl(const ModelShape& shape);
  // embedded: [B, N, text width], mel: [B, T, mel_bins] normalised -> [B, T, N]: for every frame
  // the log of (how well the token fits) x (prior), -1e4 at tokens that are padding.
  torch::Tensor forward(const torch::Tensor& embedded,
                        const torch::Tensor& mel,
                        const AlignmentLengths& lengths);

 private:
  torch::Tensor keys(const torch::Tensor& embedded, const torch::Tensor& valid);  // [B, N, mel]
  torch::Tensor queries(const torch::Tensor& mel, const torch::Tensor& valid);    // [B, T, mel]

  TimeConvolution key_in_{nullptr};
  TimeConvolution key_out_{nullptr};
  TimeConvolution query_in_{nullptr};
  TimeConvolution query_inner_{nullptr};
  TimeConvolution query_out_{nullptr};
};
TORCH_MODULE(Aligner);

}  // namespace qanat
