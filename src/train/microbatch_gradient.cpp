#include "train/microbatch_gradient.h"

#include <utility>

#include <torch/torch.h>

#include "model/monotonic_search.h"
#include "train/batch_tensors.h"
#include "train/gradient_exchange.h"
#include "train/nan_check.h"

namespace qanat {
namespace {

torch::Tensor sum_losses(const LossParts& parts,
                         const torch::Tensor& loss,
                         const torch::Tensor& row_weights) {
  const torch::NoGradGuard no_grad;
  const auto sum = [&](const torch::Tensor& rows) { return (rows.detach() * row_weights).sum(); };
  return torch::stack({loss.detach(),
                       sum(parts.mel),
                       sum(parts.postnet_mel),
                       sum(parts.prior),
                       sum(parts.forward_sum),
                       sum(parts.binarisation),
                       sum(parts.duration)});
}

}  // namespace

MicrobatchGradient::MicrobatchGradient(TrainedModel& model,
                                       const MicrobatchOptions& options,
                                       std::function<ModelBatch()> rows)
    : model_(model), options_(options), rows_(std::move(rows)) {}

void MicrobatchGradient::align() {
  const NanCheck check(options_.check_every_operation);
  batch_ = rows_();
  row_weights_ = frame_weights(batch_);
  check.require_none("the mel of the batch", batch_.mel);
  alignment_ = model_.network->align(batch_);
  check.require_none("the alignment", alignment_.log_probability);
}

void MicrobatchGradient::search() {
  durations_ = monotonic_durations(
      alignment_.log_probability.detach(), batch_.token_lengths, batch_.mel_lengths);
}

void MicrobatchGradient::encode() {
  const NanCheck check(options_.check_every_operation);
  const Autocast autocast(options_.precision, model_.device());
  text_ = model_.network->encode(batch_);
  check.require_none("the encoded text", text_.vectors);
}

void MicrobatchGradient::decode() {
  const NanCheck check(options_.check_every_operation);
  const Autocast autocast(options_.precision, model_.device());
  output_ = model_.network->decode(batch_, text_, durations_);
  check.require_none("the predicted mel", output_.mel);
  check.require_none("the predicted durations", output_.log_durations);
}

void MicrobatchGradient::losses() {
  const NanCheck check(options_.check_every_operation);
  const LossParts parts = row_losses(batch_, alignment_, output_, durations_);
  loss_ = weighted_loss(parts, options_.weights, row_weights_);
  check.require_none("the loss", loss_);
  loss_sums_ = sum_losses(parts, loss_, row_weights_);
}

void MicrobatchGradient::backward(const torch::Tensor& sums) {
  const NanCheck check(options_.check_every_operation);
  const torch::Tensor& scale = options_.loss_scale;
  const torch::Tensor loss = scale.defined() ? loss_ * scale : loss_;
  if (options_.exchange != nullptr && sums.defined()) {
    options_.exchange->backward(loss);
    sums.add_(loss_sums_);
    drop();
    return;
  }
  const std::vector<torch::Tensor> gradients = torch::autograd::grad({loss},
                                                                     model_.parameters,
                                                                     /*grad_outputs=*/{},
                                                                     /*retain_graph=*/false,
                                                                     /*create_graph=*/false,
                                                                     /*allow_unused=*/true);
  if (sums.defined()) {
    model_.layout.add(model_.gradient, gradients);
    sums.add_(loss_sums_);
  }
  drop();
}

void MicrobatchGradient::run_phase(std::size_t phase, const torch::Tensor& sums) {
  switch (phase) {
    case 0:
      return align();
    case 1:
      return search();
    case 2:
      return encode();
    case 3:
      return decode();
    case 4:
      return losses();
    default:
      return backward(sums);
  }
}

void MicrobatchGradient::run(const torch::Tensor& sums) {
  for (std::size_t phase = 0; phase < kSpeechPhases.size(); ++phase) {
    run_phase(phase, sums);
  }
}

void MicrobatchGradient::drop() {
  batch_ = ModelBatch();
  alignment_ = Alignment();
  text_ = EncodedText();
  output_ = ModelOutput();
  row_weights_.reset();
  durations_.reset();
  loss_.reset();
  loss_sums_.reset();
}

}  // namespace qanat
