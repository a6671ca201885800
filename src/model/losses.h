// What a row got wrong, part by part, and the one number that is minimised.
#pragma once

#include <torch/types.h>

#include "model/model_batch.h"
#include "model/xtts_model.h"

namespace qanat {

struct LossWeights {
  double mel = 1.0;
  double refined = 1.0;
  double prior = 0.5;
  double forward_sum = 0.5;
  double binarisation = 0;  // 0.1 once the alignment has formed; the trainer switches it on
  double duration = 0.1;
};

// Each f32 [B]: the mean over what counts in the row, so that a row's losses do not depend on the
// batch it is in.
struct LossParts {
  torch::Tensor mel;           // L1 over frames by mel_weights and bins, of normalised mel
  torch::Tensor refined;       // the same of the postnet's; 0 without postnet
  torch::Tensor prior;         // the same of the prior mean
  torch::Tensor forward_sum;   // negative log-likelihood per token
  torch::Tensor binarisation;  // negative log-probability per frame of the token it was given to
  torch::Tensor duration;      // squared error of the logarithm per token
};

// Of what the model says and how long: everything but the aligner's parts, which stay undefined.
// durations: i64 [B, N] as given to forward().
LossParts speech_losses(const ModelBatch& batch,
                        const ModelOutput& output,
                        const torch::Tensor& durations);
// The aligner's: forward_sum and binarisation; the others stay undefined.
LossParts alignment_losses(const ModelBatch& batch,
                           const Alignment& alignment,
                           const torch::Tensor& durations);
// All of them.
LossParts row_losses(const ModelBatch& batch,
                     const Alignment& alignment,
                     const ModelOutput& output,
                     const torch::Tensor& durations);

// Sum over rows of row_weight * (weighted sum of the row's parts that are defined): a scalar.
// Weighting rows by their frames makes the gradient of a batch the sum of those of its
// microbatches.
torch::Tensor weighted_loss(const LossParts& parts,
                            const LossWeights& weights,
                            const torch::Tensor& row_weights);

}  // namespace qanat
