#include "train/gradient_exchange.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace qanat {

// Called by autograd when a parameter has its gradient, on the thread that runs the pass.
class GradientExchange::Hook : public torch::autograd::FunctionPostHook {
 public:
  Hook(std::shared_ptr<GradientExchange*> owner, std::size_t parameter)
      : owner_(std::move(owner)), parameter_(parameter) {}

  torch::autograd::variable_list operator()(
      const torch::autograd::variable_list& outputs,
      const torch::autograd::variable_list& /*inputs*/) override {
    if (*owner_ != nullptr) {
      (*owner_)->on_gradient(parameter_);
    }
    return outputs;
  }

 private:
  const std::shared_ptr<GradientExchange*> owner_;
  const std::size_t parameter_;
};

GradientExchange::GradientExchange(TrainedWeights& weights,
                                   ProcessGroup& group,
                                   const GradientExchangeOptions& options)
    : weights_(weights),
      group_(group),
      options_(options),
      self_(std::make_shared<GradientExchange*>(this)) {
  cut_slices();
  order_.resize(slices_.size());
  std::iota(order_.begin(), order_.end(), 0);
  has_gradient_.resize(weights_.parameters.size());
  exchanges_.reserve(slices_.size() + 1);  // and the sums: nothing is allocated once one is sent
  // Memory of the host is not short at that time.
  if (options_.format == ExchangeFormat::bf16 && !weights_.device().is_cpu()) {
    rounded_ = torch::empty_like(weights_.gradient, torch::kBFloat16);
  }
  add_hooks();
  reset();
}

GradientExchange::~GradientExchange() {
  *self_ = nullptr;
  for (const torch::Tensor& parameter : weights_.parameters) {
    torch::Tensor(parameter).mutable_grad().reset();
  }
}

void GradientExchange::cut_slices() {
  const FlatParameters& layout = weights_.layout;
  const std::int64_t size =
      std::max(options_.min_slice, layout.size() / std::max(1, options_.max_slices));
  for (std::size_t i = 0; i < weights_.parameters.size(); ++i) {
    // Vectors of all layers come last in the layout and are complete last: they stay together.
    const bool is_full =
        slices_.empty() || slices_.back().count >= size || layout.first(i) == layout.num_decayed();
    if (is_full) {
      slices_.push_back({.first = layout.first(i)});
    }
    const std::int64_t end =
        i + 1 < weights_.parameters.size() ? layout.first(i + 1) : layout.size();
    slices_.back().count = end - slices_.back().first;
    slices_.back().parameters.push_back(i);
    slice_of_.push_back(slices_.size() - 1);
  }
}

// Gradients are accumulated in place, so those of the parameters are views of the flat one.
void GradientExchange::add_hooks() {
  for (std::size_t i = 0; i < weights_.parameters.size(); ++i) {
    torch::Tensor parameter = weights_.parameters[i];
    parameter.mutable_grad() = weights_.layout.view(weights_.gradient, i);
    auto accumulator = torch::autograd::impl::grad_accumulator(parameter);
    accumulator->add_post_hook(std::make_unique<Hook>(self_, i));
    accumulators_.push_back(std::move(accumulator));
  }
}

void GradientExchange::reset() {
  is_open_ = true;
  has_gradient_.assign(has_gradient_.size(), false);
  for (Slice& slice : slices_) {
    slice.missing = slice.parameters.size();
  }
  finished_.assign(slices_.size(), 0);
  num_gradients_ = 0;
  num_sent_ = 0;
  exchanges_.clear();
}

void GradientExchange::backward(const torch::Tensor& loss) {
  if (std::exchange(is_open_, false)) {
    is_running_ = true;
    try {
      torch::autograd::backward({loss}, {});
    } catch (...) {
      is_running_ = false;
      throw;
    }
    is_running_ = false;
    return;
  }
  std::vector<torch::Tensor> gradients = torch::autograd::grad({loss},
                                                               weights_.parameters,
                                                               /*grad_outputs=*/{},
                                                               /*retain_graph=*/false,
                                                               /*create_graph=*/false,
                                                               /*allow_unused=*/true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (has_gradient_[i]) {
      gradients[i].reset();  // it holds these rows already
    }
  }
  weights_.layout.add(weights_.gradient, gradients);
}

void GradientExchange::on_gradient(std::size_t parameter) {
  if (!is_running_ || has_gradient_[parameter]) {
    return;
  }
  has_gradient_[parameter] = true;
  ++num_gradients_;
  Slice& slice = slices_[slice_of_[parameter]];
  if (--slice.missing == 0) {
    finished_[slice_of_[parameter]] = num_gradients_;
    send_complete();
  }
}

void GradientExchange::send_complete() {
  while (options_.overlap && has_order_ && num_sent_ < order_.size() &&
         slices_[order_[num_sent_]].missing == 0) {
    send_next();
  }
}

// A slice whose sending fails is not sent: the others wait for it, and it goes with the next call.
void GradientExchange::send_next() {
  const torch::NoGradGuard no_grad;
  const Slice& slice = slices_[order_[num_sent_]];
  const auto part = [&](const torch::Tensor& all) {
    return all.defined() ? all.narrow(0, slice.first, slice.count) : all;
  };
  exchanges_.push_back(
      group_.start_all_reduce(part(weights_.gradient), {options_.format, part(rounded_)}));
  ++num_sent_;
}

void GradientExchange::finish(const torch::Tensor& sums) {
  const torch::NoGradGuard no_grad;
  while (num_sent_ < order_.size()) {
    send_next();
  }
  if (sums.defined()) {
    exchanges_.push_back(group_.start_all_reduce(sums, ExchangeFormat::f32));
  }
  const std::int64_t width = options_.format == ExchangeFormat::bf16 ? 2 : 4;
  last_ = StepExchange{.bytes = Bytes{weights_.layout.size() * width}};
  for (const std::unique_ptr<Exchange>& exchange : exchanges_) {
    exchange->wait();
    if (!exchange->took()) {
      last_.reset();
    } else if (last_) {
      last_->busy += *exchange->took();
    }
  }
  if (!has_order_) {
    agree_on_order();
  }
  reset();
}

// Slices that were not completed by a backward pass go last: some of their parameters may not take
// part in every loss.
void GradientExchange::agree_on_order() {
  const auto when = [this](std::size_t slice) {
    const std::int64_t time = finished_[slice];
    return time == 0 ? std::numeric_limits<std::int64_t>::max() : time;
  };
  std::ranges::stable_sort(order_, {}, when);
  const auto count = static_cast<std::int64_t>(order_.size());
  torch::Tensor order = torch::empty(count, torch::kI64);
  std::ranges::copy(order_, order.data_ptr<std::int64_t>());
  order = order.to(weights_.device());
  group_.broadcast(order);
  order = order.cpu();
  std::copy_n(order.data_ptr<std::int64_t>(), order_.size(), order_.begin());
  has_order_ = true;
}

}  // namespace qanat
