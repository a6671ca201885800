#include "train/optimiser.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "base/error.h"
#include "train/optimiser_kernels.h"

namespace qanat {
namespace {

// The norm's partial sums have this size: fixed, so that it does not depend on the threads.
constexpr std::int64_t kBlock = 1 << 15;

double norm_on_host(const torch::Tensor& values) {
  const float* begin = values.data_ptr<float>();
  const std::int64_t count = values.numel();
  std::vector<double> sums(static_cast<std::size_t>((count + kBlock - 1) / kBlock));
  at::parallel_for(0, static_cast<std::int64_t>(sums.size()), 1, [&](auto from, auto to) {
    for (std::int64_t i = from; i < to; ++i) {
      sums[static_cast<std::size_t>(i)] =
          sum_of_squares(begin + i * kBlock, std::min(kBlock, count - i * kBlock));
    }
  });
  double sum = 0;
  for (const double part : sums) {
    sum += part;
  }
  return std::sqrt(sum);
}

// What gradients are multiplied by so that their norm is at most `limit`.
double clip_factor(double norm, double limit) {
  return limit > 0 && norm > limit ? limit / norm : 1.0;
}

TensorMap with_prefix(const TensorMap& map, const std::string& prefix) {
  TensorMap result;
  for (const auto& [name, tensor] : map) {
    result.emplace(prefix + name, tensor);
  }
  return result;
}

TensorMap without_prefix(const TensorMap& map, const std::string& prefix) {
  TensorMap result;
  for (const auto& [name, tensor] : map) {
    if (name.starts_with(prefix)) {
      result.emplace(name.substr(prefix.size()), tensor);
    }
  }
  return result;
}

struct FusedTensors {
  torch::Tensor weights, gradient, first, second;
  torch::Tensor updates;   // f32 [1]
  torch::Tensor scale;     // f32 []: gradients are divided by it
  torch::Tensor overflow;  // f32 []: 1: nothing is changed
};
struct FusedNumbers {
  double learning_rate, beta1, beta2, decay, epsilon;
};

// By name, because libtorch 1.13 does not declare it.
auto find_fused_adam() {
  return c10::Dispatcher::singleton().findSchema({"aten::_fused_adamw_", ""});
}

void fused_adam(const FusedTensors& tensors, const FusedNumbers& numbers) {
  const auto list = [](const torch::Tensor& tensor) { return c10::List<torch::Tensor>({tensor}); };
  torch::jit::Stack arguments{list(tensors.weights),
                              list(tensors.gradient),
                              list(tensors.first),
                              list(tensors.second),
                              c10::List<torch::Tensor>(),
                              list(tensors.updates),
                              numbers.learning_rate,
                              numbers.beta1,
                              numbers.beta2,
                              numbers.decay,
                              numbers.epsilon,
                              /*amsgrad=*/false,
                              /*maximize=*/false,
                              tensors.scale,
                              tensors.overflow};
  find_fused_adam().value().callBoxed(arguments);
}

bool is_frozen(const AdamWOptions& options, const std::string& name) {
  return options.frozen && options.frozen(name);
}

constexpr const char* kFirst = "first.";
constexpr const char* kSecond = "second.";
constexpr const char* kUpdates = "updates";

}  // namespace

bool has_fused_adam() {
  return find_fused_adam().has_value();
}

AdamW::AdamW(FlatParameters layout, const AdamWOptions& options, torch::Device device)
    : layout_(std::move(layout)),
      options_(options),
      trained_(layout_.spans([&](const std::string& name) { return !is_frozen(options_, name); })),
      frozen_(layout_.spans([&](const std::string& name) { return is_frozen(options_, name); })),
      first_(layout_.make_block(device)),
      second_(layout_.make_block(device)),
      updates_(torch::zeros({1}, torch::TensorOptions().dtype(torch::kFloat64).device(device))) {}

torch::Tensor AdamW::update(const torch::Tensor& weights,
                            const torch::Tensor& gradient,
                            double divisor,
                            double learning_rate) {
  const torch::NoGradGuard no_grad;
  for (const FlatParameters::Span& span : frozen_) {
    gradient.narrow(0, span.first, span.count).zero_();
  }
  const AdamKernel wanted = options_.kernel;
  if (weights.is_cpu() && wanted == AdamKernel::automatic) {
    return update_on_host(weights, gradient, divisor, learning_rate);
  }
  return wanted != AdamKernel::tensor_operations && has_fused_adam()
             ? update_fused(weights, gradient, divisor, learning_rate)
             : update_on_device(weights, gradient, divisor, learning_rate);
}

torch::Tensor AdamW::update_on_host(const torch::Tensor& weights,
                                    const torch::Tensor& gradient,
                                    double divisor,
                                    double learning_rate) {
  const double norm = norm_on_host(gradient) / divisor;
  if (!std::isfinite(norm)) {
    return torch::tensor({static_cast<float>(norm), 0.0F});
  }
  double& updates = *updates_.data_ptr<double>();
  updates += 1;
  const double decay = learning_rate * options_.weight_decay;
  const AdamFactors factors{
      .gradient_scale = static_cast<float>(clip_factor(norm, options_.gradient_clip) / divisor),
      .beta1 = static_cast<float>(options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .step_size = static_cast<float>(learning_rate / (1 - std::pow(options_.beta1, updates))),
      .inverse_correction =
          static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, updates))),
      .epsilon = static_cast<float>(options_.epsilon),
      .shrink = static_cast<float>(1 - decay)};
  AdamFactors undecayed = factors;
  undecayed.shrink = 1;
  float* weight = weights.data_ptr<float>();
  float* first = first_.data_ptr<float>();
  float* second = second_.data_ptr<float>();
  const float* slope = gradient.data_ptr<float>();
  const auto run = [&](std::int64_t from, std::int64_t to, const AdamFactors& with) {
    if (from < to) {
      adam_update({.weight = weight + from,
                   .first_moment = first + from,
                   .second_moment = second + from,
                   .gradient = slope + from,
                   .count = to - from},
                  with);
    }
  };
  at::parallel_for(0, layout_.size(), kBlock, [&](auto from, auto to) {
    for (const FlatParameters::Span& span : trained_) {
      run(std::max<std::int64_t>(from, span.first),
          std::min<std::int64_t>(to, span.first + span.count),
          is_decayed(span) ? factors : undecayed);
    }
  });
  return torch::tensor({static_cast<float>(norm), 1.0F});
}

// The same with tensors, for devices whose memory the host cannot read: a norm that is not finite
// multiplies every change by 0, and the host need not know.
torch::Tensor AdamW::update_on_device(const torch::Tensor& weights,
                                      const torch::Tensor& gradient,
                                      double divisor,
                                      double learning_rate) {
  const torch::Tensor norm = gradient.norm().div(divisor);  // f32 []
  const torch::Tensor made = norm.isfinite().to(torch::kFloat32);
  torch::Tensor scale = made / divisor;
  if (options_.gradient_clip > 0) {
    scale = scale * (options_.gradient_clip / norm.nan_to_num(1.0, 1.0)).clamp_max(1.0);
  }
  const torch::Tensor slope = gradient.nan_to_num(0, 0, 0) * scale;
  updates_.add_(made.to(torch::kFloat64));
  first_.add_((slope - first_) * (made * (1 - options_.beta1)));
  second_.add_((slope * slope - second_) * (made * (1 - options_.beta2)));
  // If all updates so far were skipped, there is nothing to correct.
  const torch::Tensor count = updates_.clamp_min(1.0);
  const auto correction = [&](double beta) {
    return (1 - torch::pow(beta, count)).to(torch::kFloat32);
  };
  const torch::Tensor root = second_.sqrt() / correction(options_.beta2).sqrt() + options_.epsilon;
  const torch::Tensor shrink = 1 - made * (learning_rate * options_.weight_decay);
  for (const FlatParameters::Span& span : trained_) {
    if (is_decayed(span)) {
      weights.narrow(0, span.first, span.count).mul_(shrink);
    }
  }
  weights.sub_(first_ / root * (made * learning_rate / correction(options_.beta1)));
  return torch::stack({norm, made});
}

// libtorch's kernel divides gradients by a scale and changes nothing after an overflow. Both are
// passed as tensors, so the host need not know them.
torch::Tensor AdamW::update_fused(const torch::Tensor& weights,
                                  const torch::Tensor& gradient,
                                  double divisor,
                                  double learning_rate) {
  const torch::Tensor norm = gradient.norm().div(divisor);  // f32 []
  const torch::Tensor made = norm.isfinite().to(torch::kFloat32);
  torch::Tensor scale = torch::full_like(norm, divisor);
  if (options_.gradient_clip > 0) {
    scale = scale * (norm.nan_to_num(1.0, 1.0) / options_.gradient_clip).clamp_min(1.0);
  }
  updates_.add_(made.to(torch::kFloat64));
  for (const FlatParameters::Span& span : trained_) {
    const auto part = [&](const torch::Tensor& block) {
      return block.narrow(0, span.first, span.count);
    };
    fused_adam({.weights = part(weights),
                .gradient = part(gradient),
                .first = part(first_),
                .second = part(second_),
                .updates = updates_.to(torch::kFloat32),
                .scale = scale,
                .overflow = 1 - made},
               {.learning_rate = learning_rate,
                .beta1 = options_.beta1,
                .beta2 = options_.beta2,
                .decay = is_decayed(span) ? options_.weight_decay : 0,
                .epsilon = options_.epsilon});
  }
  return torch::stack({norm, made});
}

TensorMap AdamW::state(const std::function<torch::Tensor(const torch::Tensor&)>& copy) const {
  TensorMap state = with_prefix(layout_.views(copy(first_)), kFirst);
  state.merge(with_prefix(layout_.views(copy(second_)), kSecond));
  state.emplace(kUpdates, copy(updates_));
  return state;
}

void AdamW::load_state(const TensorMap& state) {
  const auto updates = state.find(kUpdates);
  if (updates == state.end() || updates->second.numel() != 1) {
    throw Error("optimiser state: no `updates`; expected the state of AdamW");
  }
  layout_.load(first_, without_prefix(state, kFirst), "optimiser state, first moment of");
  layout_.load(second_, without_prefix(state, kSecond), "optimiser state, second moment of");
  updates_.copy_(updates->second.view({1}));
}

void ema_update(const torch::Tensor& ema,
                const torch::Tensor& weights,
                double decay,
                std::int64_t updates) {
  const torch::NoGradGuard no_grad;
  const auto t = static_cast<double>(updates);
  ema.lerp_(weights, 1 - std::min(decay, (1 + t) / (10 + t)));
}

}  // namespace qanat
