// The text-to-speech model: tokens and a reference voice in, log-mel out.
//
// In the manner of XTTS (language-tagged tokens, a reference recording read by a Perceiver, a
// decoder at a reduced frame rate), with durations learned by an aligner instead of a language
// model over audio codes. The results of a row depend on nothing but the row: not on the others,
// not on padding, not on chance.
// Not thread-safe.
#pragma once

#include <vector>

#include <torch/torch.h>
#include <torch/types.h>

#include "model/aligner.h"
#include "model/decoder.h"
#include "model/length_regulator.h"
#include "model/model_batch.h"
#include "model/model_shape.h"
#include "model/speaker_encoder.h"
#include "model/text_encoder.h"

namespace qanat {

struct Alignment {
  // f32 [B, T, N]: log of how well each token fits each frame times the prior, not normalised; for
  // forward_sum() and monotonic_durations().
  torch::Tensor log_probability;
};

// Mel is normalised: (log-mel - mel_mean) / mel_std. All f32.
struct ModelOutput {
  torch::Tensor mel;            // [B, T, mel_bins]
  torch::Tensor postnet_mel;    // [B, T, mel_bins], after the postnet; undefined without
  torch::Tensor prior_mean;     // [B, T, mel_bins]: what the text alone says
  torch::Tensor log_durations;  // [B, N], natural logarithm of frames
  torch::Tensor target;         // [B, T, mel_bins]: the batch's mel, normalised
};

struct SynthesisInput {
  torch::Tensor tokens;             // i64 [B, N]
  torch::Tensor token_lengths;      // i64 [B]
  torch::Tensor reference;          // f32 [B, R, mel_bins] natural log-mel; undefined: no reference
  torch::Tensor reference_lengths;  // i64 [B]; undefined without a reference
  torch::Tensor speakers;           // i64 [B], -1: not said; undefined: of no row
};

struct SynthesisOptions {
  double length_scale = 1;  // above 1: slower
  int longest_token = 75;   // frames
  // i64 [N] per row, in host memory, instead of the model's own, if any.
  std::vector<torch::Tensor> durations = {};
};

// What is known of a batch before its durations are.
struct EncodedText {
  SpeakerCondition speaker;
  torch::Tensor vectors;        // [B, N, text width]
  torch::Tensor log_durations;  // [B, N]
};

class XttsModelImpl : public torch::nn::Module {
 public:
  explicit XttsModelImpl(const ModelShape& shape);

  const ModelShape& shape() const { return shape_; }
  // Single precision, also under autocast. Reads tokens and mel only.
  Alignment align(const ModelBatch& batch);
  // Needs no durations: they can be searched for meanwhile.
  EncodedText encode(const ModelBatch& batch);
  // durations: i64 [B, N], the frames of each token, 0 at padding; the sum of a row is its length.
  ModelOutput decode(const ModelBatch& batch,
                     const EncodedText& text,
                     const torch::Tensor& durations);
  ModelOutput forward(const ModelBatch& batch, const torch::Tensor& durations);
  // Frames of each token that synthesise() would speak: i64 [B, N], 0 at padding.
  torch::Tensor predict_durations(const SynthesisInput& input, const SynthesisOptions& options);
  // Log-mel of each row, [T, mel_bins] with T of its own, without gradient. Waits for the device,
  // whose durations say how long the rows are, unless they are given.
  std::vector<torch::Tensor> synthesise(const SynthesisInput& input,
                                        const SynthesisOptions& options);

  torch::Tensor normalise(const torch::Tensor& mel) const;    // of log-mel
  torch::Tensor denormalise(const torch::Tensor& mel) const;  // to log-mel

 private:
  ModelOutput decode_frames(const EncodedText& text,
                            const torch::Tensor& durations,
                            std::int64_t frames);
  torch::TensorOptions options() const;

  const ModelShape shape_;
  TextEncoder text_encoder_{nullptr};
  SpeakerEncoder speaker_encoder_{nullptr};
  Aligner aligner_{nullptr};
  DurationPredictor duration_predictor_{nullptr};
  torch::nn::Linear prior_mean_{nullptr};
  Decoder decoder_{nullptr};
  Postnet postnet_{nullptr};  // null when the shape has none
};
TORCH_MODULE(XttsModel);

// What a row got wrong, part by part, and the one number that is minimised.
struct LossWeights {
  double mel = 1.0;
  double postnet_mel = 1.0;
  double prior = 0.5;
  double forward_sum = 0.5;
  double binarisation = 0;  // 0.1 once the alignment has formed; the trainer switches it on
  double duration = 0.1;

  bool operator==(const LossWeights&) const = default;
};

// Each f32 [B]: the mean over what counts in the row, so that a row's losses do not depend on the
// batch it is in.
struct LossParts {
  torch::Tensor mel;           // L1 over frames by mel_weights and bins, of normalised mel
  torch::Tensor postnet_mel;   // the same of the postnet's; 0 without postnet
  torch::Tensor prior;         // the same of the prior mean
  torch::Tensor forward_sum;   // negative log-likelihood per token
  torch::Tensor binarisation;  // negative log-probability per frame of the token it was given to
  torch::Tensor duration;      // squared error of the logarithm per token
};

// Compares what the model says and how long: the aligner's parts stay undefined.
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

// Returns the weighted sum of the parts that are defined, for every row: f32 [B].
torch::Tensor weighted_rows(const LossParts& parts, const LossWeights& weights);
// Sum over rows of row_weight * weighted_rows(): a scalar.
// Weighting rows by their frames makes the gradient of a batch the sum of those of its
// microbatches.
torch::Tensor weighted_loss(const LossParts& parts,
                            const LossWeights& weights,
                            const torch::Tensor& row_weights);

}  // namespace qanat
