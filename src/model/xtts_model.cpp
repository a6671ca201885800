#include "model/xtts_model.h"

#include "model/single_precision.h"

namespace qanat {

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
    output.refined = postnet_(mel, places.valid).narrow(1, 0, frames).to(options());
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

}  // namespace qanat
