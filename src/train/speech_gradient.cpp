#include "train/speech_gradient.h"

#include "model/autocast_state.h"

namespace qanat {

Autocast::Autocast(Precision precision, torch::Device device)
    : on_(precision != Precision::single), type_(device.type()) {
  if (!on_) {
    return;
  }
  autocast_state::set_precision(type_,
                                precision == Precision::bf16 ? torch::kBFloat16 : torch::kHalf);
  autocast_state::turn(type_, true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!on_) {
    return;
  }
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();  // of weights that change with the next update
  }
  autocast_state::turn(type_, false);
}

torch::Tensor sum_losses(const LossParts& parts,
                         const torch::Tensor& loss,
                         const torch::Tensor& row_weights) {
  const torch::NoGradGuard no_grad;
  const auto sum = [&](const torch::Tensor& rows) {
    return rows.defined() ? (rows.detach() * row_weights).sum() : torch::zeros_like(loss);
  };
  return torch::stack({loss.detach(),
                       sum(parts.mel),
                       sum(parts.postnet_mel),
                       sum(parts.prior),
                       sum(parts.forward_sum),
                       sum(parts.binarisation),
                       sum(parts.duration)});
}

void add_speech_gradient(TrainedModel& model,
                         const SpeechPart& part,
                         const SpeechOptions& options,
                         const torch::Tensor& sums) {
  ModelOutput output;
  {
    const Autocast autocast(options.precision, model.device());
    output = model.network->forward(part.batch, part.durations);
  }
  const LossParts parts = speech_losses(part.batch, output, part.durations);
  const torch::Tensor loss = weighted_loss(parts, options.weights, part.row_weights);
  const torch::Tensor scaled = options.loss_scale.defined() ? loss * options.loss_scale : loss;
  const std::vector<torch::Tensor> gradients = torch::autograd::grad({scaled},
                                                                     model.parameters,
                                                                     /*grad_outputs=*/{},
                                                                     /*retain_graph=*/false,
                                                                     /*create_graph=*/false,
                                                                     /*allow_unused=*/true);
  model.layout.add(model.gradient, gradients);
  sums.add_(sum_losses(parts, loss, part.row_weights));
}

}  // namespace qanat
