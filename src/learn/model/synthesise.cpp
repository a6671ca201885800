// XttsModel::synthesise(): from text to log-mel without a recording to follow.
#include <algorithm>
#include <span>

#include "model/layers.h"
#include "model/xtts_model.h"

namespace qanat {

namespace {

// i64 [B, N], 0 at padding, from the predicted logarithms.
torch::Tensor whole_durations(const torch::Tensor& log_durations,
                              const torch::Tensor& token_lengths,
                              const SynthesisOptions& options) {
  const torch::Tensor frames = torch::round(torch::exp(log_durations) * options.length_scale)
                                   .clamp(1, options.longest_token);
  const SequenceMask mask =
      make_sequence_mask(token_lengths, log_durations.size(1), log_durations.options());
  return (frames * mask.valid.squeeze(2)).to(torch::kInt64);
}

// i64 [B, N] in host memory, from where the device reads it without the host waiting.
torch::Tensor given_durations(const torch::Tensor& tokens, const SynthesisOptions& options) {
  const torch::Tensor durations = torch::zeros(
      tokens.sizes(), torch::TensorOptions().dtype(torch::kInt64).pinned_memory(!tokens.is_cpu()));
  for (std::size_t row = 0; row < options.durations.size(); ++row) {
    const torch::Tensor& given = options.durations[row];
    durations[static_cast<std::int64_t>(row)].narrow(0, 0, given.size(0)).copy_(given);
  }
  return durations;
}

ModelBatch to_batch(const SynthesisInput& input, const torch::TensorOptions& mel, int mel_bins) {
  const bool has_reference = input.reference.defined();
  ModelBatch batch;
  batch.tokens = input.tokens;
  batch.token_lengths = input.token_lengths;
  batch.speakers = input.speakers;
  batch.reference =
      has_reference ? input.reference : torch::zeros({input.tokens.size(0), 1, mel_bins}, mel);
  batch.reference_lengths =
      has_reference ? input.reference_lengths : torch::zeros_like(input.token_lengths);
  return batch;
}

}  // namespace

torch::Tensor XttsModelImpl::predict_durations(const SynthesisInput& input,
                                               const SynthesisOptions& synthesis) {
  const torch::NoGradGuard no_grad;
  const EncodedText text = encode(to_batch(input, options(), shape_.mel_bins));
  return whole_durations(text.log_durations.to(torch::kFloat32), input.token_lengths, synthesis);
}

std::vector<torch::Tensor> XttsModelImpl::synthesise(const SynthesisInput& input,
                                                     const SynthesisOptions& synthesis) {
  const torch::NoGradGuard no_grad;
  const EncodedText text = encode(to_batch(input, options(), shape_.mel_bins));
  torch::Tensor durations;  // on the device
  torch::Tensor lengths;    // of the rows, on the host
  if (synthesis.durations.empty()) {
    durations =
        whole_durations(text.log_durations.to(torch::kFloat32), input.token_lengths, synthesis);
    lengths = durations.sum(1).cpu();
  } else {
    const torch::Tensor given = given_durations(input.tokens, synthesis);
    durations = given.to(input.tokens.options(), /*non_blocking=*/true);
    lengths = given.sum(1);
  }
  const std::int64_t rows = input.tokens.size(0);
  const std::span<const std::int64_t> frames(lengths.data_ptr<std::int64_t>(),
                                             static_cast<std::size_t>(rows));
  const ModelOutput output = decode_frames(text, durations, std::ranges::max(frames));
  const torch::Tensor mel =
      denormalise(output.postnet_mel.defined() ? output.postnet_mel : output.mel);

  std::vector<torch::Tensor> result;
  for (std::int64_t row = 0; row < rows; ++row) {
    result.push_back(mel[row].narrow(0, 0, frames[static_cast<std::size_t>(row)]).contiguous());
  }
  return result;
}

}  // namespace qanat
