#include "train/microbatch_gradient.h"

#include <optional>
#include <string_view>
#include <utility>

#include <torch/torch.h>

#include "base/error.h"
#include "model/monotonic_search.h"
#include "train/batch_tensors.h"

namespace qanat {
namespace {

// Finds out where a run diverges: names the first stage, or the operation of the backward pass,
// whose result holds NaN. Slow; off unless asked for.
class NanCheck {
 public:
  explicit NanCheck(bool on) {
    if (on) {
      // Forward as well: what is recorded there names the operations of the backward pass.
      anomalies_.emplace();
    }
  }

  // Throws Error naming `what`.
  void require_none(std::string_view what, const torch::Tensor& values) const {
    if (anomalies_ && values.defined() && values.isnan().any().item<bool>()) {
      throw Error(
          "{}: holds NaN (found by --enable-eager-debug); try a lower --lr, or "
          "--no-mixed-precision",
          what);
    }
  }

 private:
  std::optional<torch::autograd::DetectAnomalyGuard> anomalies_;
};

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

void MicrobatchGradient::fetch() {
  const auto ask = [](const torch::Tensor& values) {
    torch::Tensor on_host = torch::empty(
        values.sizes(), values.options().device(torch::kCPU).pinned_memory(!values.is_cpu()));
    return on_host.copy_(values, /*non_blocking=*/true);
  };
  fetched_ = {.scores = ask(alignment_.log_probability.detach()),
              .token_lengths = ask(batch_.token_lengths),
              .mel_lengths = ask(batch_.mel_lengths)};
}

void MicrobatchGradient::search() {
  if (!fetched_.scores.defined()) {
    fetched_ = {.scores = alignment_.log_probability.detach().cpu(),
                .token_lengths = batch_.token_lengths.cpu(),
                .mel_lengths = batch_.mel_lengths.cpu()};
  }
  durations_ = monotonic_durations(fetched_.scores, fetched_.token_lengths, fetched_.mel_lengths)
                   .to(model_.device());
}

void MicrobatchGradient::encode() {
  if (options_.graphs != nullptr) {
    return;
  }
  const NanCheck check(options_.check_every_operation);
  const Autocast autocast(options_.precision, model_.device());
  text_ = model_.network->encode(batch_);
  check.require_none("the encoded text", text_.vectors);
}

void MicrobatchGradient::decode() {
  if (options_.graphs != nullptr) {
    return;
  }
  const NanCheck check(options_.check_every_operation);
  const Autocast autocast(options_.precision, model_.device());
  output_ = model_.network->decode(batch_, text_, durations_);
  check.require_none("the predicted mel", output_.mel);
  check.require_none("the predicted durations", output_.log_durations);
}

void MicrobatchGradient::losses() {
  const NanCheck check(options_.check_every_operation);
  const LossParts parts = options_.graphs != nullptr
                              ? alignment_losses(batch_, alignment_, durations_)
                              : row_losses(batch_, alignment_, output_, durations_);
  loss_ = weighted_loss(parts, options_.weights, row_weights_);
  check.require_none("the loss", loss_);
  loss_sums_ = sum_losses(parts, loss_, row_weights_);
}

void MicrobatchGradient::backward(const torch::Tensor& sums) {
  const NanCheck check(options_.check_every_operation);
  const torch::Tensor& scale = options_.loss_scale;
  const std::vector<torch::Tensor> gradients =
      torch::autograd::grad({scale.defined() ? loss_ * scale : loss_},
                            model_.parameters,
                            /*grad_outputs=*/{},
                            /*retain_graph=*/false,
                            /*create_graph=*/false,
                            /*allow_unused=*/true);
  if (options_.graphs != nullptr) {
    // Before anything is added: what does not fit the memory is done again from the start.
    options_.graphs->add(
        {.batch = batch_, .durations = durations_, .row_weights = row_weights_},
        {.weights = options_.weights, .precision = options_.precision, .loss_scale = scale});
  }
  if (sums.defined()) {
    model_.layout.add(model_.gradient, gradients);
    sums.add_(loss_sums_);
  }
  drop();
}

void MicrobatchGradient::run(const torch::Tensor& sums) {
  align();
  search();
  encode();
  decode();
  losses();
  backward(sums);
}

void MicrobatchGradient::drop() {
  batch_ = ModelBatch();
  alignment_ = Alignment();
  text_ = EncodedText();
  output_ = ModelOutput();
  row_weights_.reset();
  fetched_ = Fetched();
  durations_.reset();
  loss_.reset();
  loss_sums_.reset();
}

}  // namespace qanat
