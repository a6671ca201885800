// XttsModel::synthesise(): from text to log-mel without a recording to follow.
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

torch::Tensor given_durations(const torch::Tensor& tokens, const SynthesisOptions& options) {
  const torch::Tensor durations = torch::zeros_like(tokens);
  for (std::size_t row = 0; row < options.durations.size(); ++row) {
    const torch::Tensor& given = options.durations[row];
    durations[static_cast<std::int64_t>(row)].narrow(0, 0, given.size(0)).copy_(given);
  }
  return durations;
}

}  // namespace

std::vector<torch::Tensor> XttsModelImpl::synthesise(const SynthesisInput& input,
                                                     const SynthesisOptions& synthesis) {
  const torch::NoGradGuard no_grad;
  const std::int64_t rows = input.tokens.size(0);
  ModelBatch batch;
  batch.tokens = input.tokens;
  batch.token_lengths = input.token_lengths;
  batch.speakers = input.speakers;
  const bool has_reference = input.reference.defined();
  batch.reference =
      has_reference ? input.reference : torch::zeros({rows, 1, shape_.mel_bins}, options());
  batch.reference_lengths =
      has_reference ? input.reference_lengths : torch::zeros_like(input.token_lengths);

  const EncodedText text = encode(batch);
  const torch::Tensor durations =
      synthesis.durations.empty()
          ? whole_durations(text.log_durations.to(options()), input.token_lengths, synthesis)
          : given_durations(input.tokens, synthesis);
  const torch::Tensor lengths = durations.sum(1).cpu();
  const ModelOutput output = decode_frames(text, durations, lengths.max().item<std::int64_t>());
  const torch::Tensor mel =
      denormalise(output.postnet_mel.defined() ? output.postnet_mel : output.mel);

  std::vector<torch::Tensor> result;
  for (std::int64_t row = 0; row < rows; ++row) {
    result.push_back(mel[row].narrow(0, 0, lengths[row].item<std::int64_t>()).contiguous());
  }
  return result;
}

}  // namespace qanat
