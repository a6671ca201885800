#include "train/train_task.h"

#include <algorithm>

namespace qanat {
namespace {

constexpr const char* kLossScaleName = "loss_scale";  // among the state of the optimiser

void add_with_prefix(TensorMap& all, const std::string& prefix, const TensorMap& part) {
  for (const auto& [name, tensor] : part) {
    all.emplace(prefix + name, tensor);
  }
}

// Those of one part, by their own names.
TensorMap of_part(const TensorMap& all, const TrainTask& task, const std::string& prefix) {
  TensorMap part;
  for (const auto& [name, tensor] : all) {
    const bool is_others = std::ranges::any_of(task.parts(), [&](const TaskPart& other) {
      return other.prefix.size() > prefix.size() && name.starts_with(other.prefix);
    });
    if (name.starts_with(prefix) && !is_others) {
      part.emplace(name.substr(prefix.size()), tensor);
    }
  }
  return part;
}

}  // namespace

std::vector<torch::Tensor> blocks_of(const TrainTask& task) {
  std::vector<torch::Tensor> blocks;
  for (const TaskPart& part : task.parts()) {
    blocks.push_back(part.weights.weights);
    if (part.weights.ema.defined()) {
      blocks.push_back(part.weights.ema);
    }
    blocks.push_back(part.weights.loss_scale);
    (void)part.weights.optimiser.state([&blocks](const torch::Tensor& block) {
      blocks.push_back(block);
      return block;
    });
  }
  return blocks;
}

Checkpoint to_checkpoint(const TrainTask& task,
                         const std::function<torch::Tensor(const torch::Tensor&)>& copy) {
  Checkpoint checkpoint;
  for (const TaskPart& part : task.parts()) {
    const TrainedWeights& weights = part.weights;
    add_with_prefix(checkpoint.weights, part.prefix, weights.layout.views(copy(weights.weights)));
    if (weights.ema.defined()) {
      add_with_prefix(checkpoint.ema, part.prefix, weights.layout.views(copy(weights.ema)));
    }
    TensorMap optimizer = weights.optimiser.state(copy);
    optimizer.emplace(kLossScaleName, copy(weights.loss_scale));
    add_with_prefix(checkpoint.optimizer, part.prefix, optimizer);
  }
  return checkpoint;
}

void load_into(TrainTask& task, const Checkpoint& checkpoint) {
  for (const TaskPart& part : task.parts()) {
    TrainedWeights& to = part.weights;
    to.layout.load(to.weights, of_part(checkpoint.weights, task, part.prefix), "weights of");
    if (to.ema.defined()) {
      to.layout.load(to.ema, of_part(checkpoint.ema, task, part.prefix), "averaged weights of");
    }
    const TensorMap optimizer = of_part(checkpoint.optimizer, task, part.prefix);
    to.optimiser.load_state(optimizer);
    if (const auto scale = optimizer.find(kLossScaleName);
        scale != optimizer.end() && scale->second.sizes() == to.loss_scale.sizes()) {
      to.loss_scale.copy_(scale->second);
    }
  }
}

}  // namespace qanat
