#include "model/losses.h"

#include <utility>

#include <torch/torch.h>

#include "model/forward_sum.h"
#include "model/length_regulator.h"
#include "model/sequence_mask.h"
#include "model/single_precision.h"

namespace qanat {

namespace {

// The mean of `values` [B, T] where `weights` [B, T] is 1: [B]; 0 for a row without any.
torch::Tensor row_means(const torch::Tensor& values, const torch::Tensor& weights) {
  return (values * weights).sum(1) / weights.sum(1).clamp_min(1);
}

// weights: [B, T].
torch::Tensor mel_loss(const torch::Tensor& mel,
                       const torch::Tensor& target,
                       const torch::Tensor& weights) {
  return row_means(torch::abs(mel - target).mean(2), weights);
}

torch::Tensor binarisation_loss(const torch::Tensor& log_probability,
                                const torch::Tensor& durations) {
  const std::int64_t batch = log_probability.size(0), frames = log_probability.size(1);
  const FramePlaces places = place_frames(durations, frames, log_probability.options());
  const torch::Tensor first = torch::arange(batch, durations.options()) * durations.size(1);
  const torch::Tensor token = places.rows.view({batch, frames, 1}) - first.view({batch, 1, 1});
  const torch::Tensor chosen = log_probability.gather(2, token).squeeze(2);  // [B, T]
  return row_means(torch::logsumexp(log_probability, 2) - chosen, places.valid.squeeze(2));
}

torch::Tensor duration_loss(const torch::Tensor& log_durations,
                            const torch::Tensor& durations,
                            const torch::Tensor& token_lengths) {
  const torch::Tensor target = torch::log(durations.clamp_min(1).to(log_durations.options()));
  const SequenceMask mask =
      make_sequence_mask(token_lengths, durations.size(1), log_durations.options());
  return row_means(torch::square(log_durations - target), mask.valid.squeeze(2));
}

}  // namespace

LossParts alignment_losses(const ModelBatch& batch,
                           const Alignment& alignment,
                           const torch::Tensor& durations) {
  const SinglePrecision single_precision;
  LossParts parts;
  parts.forward_sum =
      forward_sum(alignment.log_probability, batch.token_lengths, batch.mel_lengths) /
      batch.token_lengths;
  parts.binarisation = binarisation_loss(alignment.log_probability, durations);
  return parts;
}

LossParts speech_losses(const ModelBatch& batch,
                        const ModelOutput& output,
                        const torch::Tensor& durations) {
  const SinglePrecision single_precision;
  const torch::Tensor weights = batch.mel_weights.to(output.mel.options());
  LossParts parts;
  parts.mel = mel_loss(output.mel, output.target, weights);
  parts.refined = output.refined.defined() ? mel_loss(output.refined, output.target, weights)
                                           : torch::zeros_like(parts.mel);
  parts.prior = mel_loss(output.prior_mean, output.target, weights);
  parts.duration = duration_loss(output.log_durations, durations, batch.token_lengths);
  return parts;
}

LossParts row_losses(const ModelBatch& batch,
                     const Alignment& alignment,
                     const ModelOutput& output,
                     const torch::Tensor& durations) {
  LossParts parts = speech_losses(batch, output, durations);
  LossParts aligned = alignment_losses(batch, alignment, durations);
  parts.forward_sum = std::move(aligned.forward_sum);
  parts.binarisation = std::move(aligned.binarisation);
  return parts;
}

torch::Tensor weighted_loss(const LossParts& parts,
                            const LossWeights& weights,
                            const torch::Tensor& row_weights) {
  torch::Tensor rows;
  for (const auto& [part, weight] : {std::pair(parts.mel, weights.mel),
                                     std::pair(parts.prior, weights.prior),
                                     std::pair(parts.forward_sum, weights.forward_sum),
                                     std::pair(parts.duration, weights.duration),
                                     std::pair(parts.refined, weights.refined),
                                     std::pair(parts.binarisation, weights.binarisation)}) {
    if (part.defined() && weight != 0) {
      rows = rows.defined() ? rows + part * weight : part * weight;
    }
  }
  return (rows * row_weights).sum();
}

}  // namespace qanat
