// The gradient of everything but the aligner: encoder, decoder and durations, which depend on the
// alignment only through numbers of frames. Can be done apart from it, and recorded.
#pragma once

#include <torch/torch.h>

#include "model/xtts_model.h"
#include "train/trained_model.h"

namespace qanat {

// fp16 is for GPUs without bf16, and needs a LossScale.
enum class Precision { single, bf16, fp16 };

// Lets libtorch compute in bf16 or fp16 where that is safe, on the calling thread, while the scope
// lasts.
class Autocast {
 public:
  Autocast(Precision precision, torch::Device device);
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast();

 private:
  const bool on_;
  const torch::DeviceType type_;
};

// Frame-weighted sums over rows, in the order of StepLosses: total, mel, postnet mel, prior,
// forward_sum, binarisation, duration.
inline constexpr std::int64_t kLossSums = 7;

// Parts that were not computed count as 0. f32 [kLossSums].
torch::Tensor sum_losses(const LossParts& parts,
                         const torch::Tensor& loss,
                         const torch::Tensor& row_weights);

struct SpeechPart {
  ModelBatch batch;
  torch::Tensor durations;    // i64 [B, N]
  torch::Tensor row_weights;  // f32 [B]
};

struct SpeechOptions {
  LossWeights weights;
  Precision precision = Precision::single;
  torch::Tensor loss_scale{};  // f32 []; undefined: none
};

// Adds to model.gradient and to `sums`, at the end: nothing is added when it fails.
void add_speech_gradient(TrainedModel& model,
                         const SpeechPart& part,
                         const SpeechOptions& options,
                         const torch::Tensor& sums);

}  // namespace qanat
