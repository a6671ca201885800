#include "model/xtts_model.h"

#include <utility>

#include <torch/torch.h>

#include "model/forward_sum.h"
#include "model/layers.h"
#include "model/length_regulator.h"

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

XttsModelImpl::XttsModelImpl(const ModelShape& shape) : shape_(shape) {
  text_encoder_ = register_module("text_encoder", TextEncoder(shape));
  speaker_encoder_ = register_module("speaker_encoder", SpeakerEncoder(shape));
  aligner_ = register_module("aligner", Aligner(shape));
  duration_predictor_ = register_module("duration_predictor", DurationPredictor(shape));
  prior_mean_ = register_module("prior_mean", torch::nn::Linear(shape.text_width, shape.mel_bins));
  decoder_ = register_module("decoder", Decoder(shape));
  if (shape.postnet_width > 0) {
    postnet_ = register_module("postnet", Postnet(shape));
  }
}

torch::TensorOptions XttsModelImpl::options() const {
  return prior_mean_->weight.options().requires_grad(false);
}

torch::Tensor XttsModelImpl::normalise(const torch::Tensor& mel) const {
  return (mel.to(options()) - shape_.mel_mean) * (1 / shape_.mel_std);
}

torch::Tensor XttsModelImpl::denormalise(const torch::Tensor& mel) const {
  return mel * shape_.mel_std + shape_.mel_mean;
}

Alignment XttsModelImpl::align(const ModelBatch& batch) {
  const SinglePrecision single_precision;
  const AlignmentLengths lengths{.tokens = batch.token_lengths,
                                 .frames = batch.mel_lengths,
                                 .max_tokens = batch.tokens.size(1),
                                 .max_frames = batch.mel.size(1)};
  return {aligner_(text_encoder_->embed(batch.tokens), normalise(batch.mel), lengths)};
}

EncodedText XttsModelImpl::encode(const ModelBatch& batch) {
  const SequenceMask mask =
      make_sequence_mask(batch.token_lengths, batch.tokens.size(1), options());
  EncodedText text;
  text.speaker = speaker_encoder_(SpeakerInput{.reference = normalise(batch.reference),
                                               .lengths = batch.reference_lengths,
                                               .speakers = batch.speakers});
  text.vectors = text_encoder_(text_encoder_->embed(batch.tokens), text.speaker.vector, mask);
  text.log_durations = duration_predictor_(text.vectors, text.speaker.vector, mask.valid);
  return text;
}

ModelOutput XttsModelImpl::decode_frames(const EncodedText& text,
                                         const torch::Tensor& durations,
                                         std::int64_t frames) {
  const std::int64_t positions = (frames + shape_.patch - 1) / shape_.patch;
  const FramePlaces places = place_frames(durations, positions * shape_.patch, options());
  const torch::Tensor lengths =
      torch::div(durations.sum(1) + (shape_.patch - 1), shape_.patch, "floor");
  const SequenceMask mask = make_sequence_mask(lengths, positions, options());

  ModelOutput output;
  // The mean of a frame is that of its token: computed before it is repeated.
  const torch::Tensor prior_mean = repeat_tokens(prior_mean_(text.vectors), places);
  const torch::Tensor mel = decoder_(text.vectors, places, mask, text.speaker.latents) + prior_mean;
  if (!postnet_.is_empty()) {
    output.postnet_mel = postnet_(mel, places.valid).narrow(1, 0, frames).to(options());
  }
  output.prior_mean = prior_mean.narrow(1, 0, frames).to(options());
  output.mel = mel.narrow(1, 0, frames).to(options());
  output.log_durations = text.log_durations.to(options());
  return output;
}

ModelOutput XttsModelImpl::decode(const ModelBatch& batch,
                                  const EncodedText& text,
                                  const torch::Tensor& durations) {
  ModelOutput output = decode_frames(text, durations, batch.mel.size(1));
  output.target = normalise(batch.mel);
  return output;
}

ModelOutput XttsModelImpl::forward(const ModelBatch& batch, const torch::Tensor& durations) {
  return decode(batch, encode(batch), durations);
}

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
  parts.postnet_mel = output.postnet_mel.defined()
                          ? mel_loss(output.postnet_mel, output.target, weights)
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

torch::Tensor weighted_rows(const LossParts& parts, const LossWeights& weights) {
  torch::Tensor rows;
  for (const auto& [part, weight] : {std::pair(parts.mel, weights.mel),
                                     std::pair(parts.prior, weights.prior),
                                     std::pair(parts.forward_sum, weights.forward_sum),
                                     std::pair(parts.duration, weights.duration),
                                     std::pair(parts.postnet_mel, weights.postnet_mel),
                                     std::pair(parts.binarisation, weights.binarisation)}) {
    if (part.defined() && weight != 0) {
      rows = rows.defined() ? rows + part * weight : part * weight;
    }
  }
  return rows;
}

torch::Tensor weighted_loss(const LossParts& parts,
                            const LossWeights& weights,
                            const torch::Tensor& row_weights) {
  return (weighted_rows(parts, weights) * row_weights).sum();
}

}  // namespace qanat
