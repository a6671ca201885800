#include "train/flat_parameters.h"

#include "base/check.h"
#include "locale/message_error.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

constexpr std::int64_t kAlignment = 16;  // floats: one cache line

std::int64_t aligned(std::int64_t count) {
  return (count + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

FlatParameters::FlatParameters(const torch::nn::Module& network) {
  const auto append = [&](bool matrices) {
    for (const auto& parameter : network.named_parameters()) {
      const torch::Tensor& value = parameter.value();
      if ((value.dim() >= 2) == matrices) {
        parts_.push_back({.name = parameter.key(),
                          .shape = value.sizes().vec(),
                          .first = size_,
                          .count = value.numel()});
        size_ += aligned(value.numel());
      }
    }
  };
  append(true);
  num_decayed_ = size_;
  append(false);
}

std::int64_t FlatParameters::num_parameters() const {
  std::int64_t count = 0;
  for (const Part& part : parts_) {
    count += part.count;
  }
  return count;
}

torch::Tensor FlatParameters::make_block(torch::Device device) const {
  return torch::zeros({size_}, torch::TensorOptions().dtype(torch::kFloat32).device(device));
}

torch::Tensor FlatParameters::view(const torch::Tensor& block, const Part& part) const {
  return block.narrow(0, part.first, part.count).view(part.shape);
}

torch::Tensor FlatParameters::adopt(torch::nn::Module& network, torch::Device device) const {
  const torch::NoGradGuard no_grad;
  torch::Tensor block = make_block(device);
  const auto parameters = network.named_parameters();
  for (const Part& part : parts_) {
    view(block, part).copy_(parameters[part.name]);
  }
  attach(network, block);
  return block;
}

void FlatParameters::attach(torch::nn::Module& network, const torch::Tensor& block) const {
  auto parameters = network.named_parameters();
  QANAT_CHECK(parameters.size() == parts_.size()) << "a network of another shape";
  for (const Part& part : parts_) {
    parameters[part.name].set_data(view(block, part));
  }
}

TensorMap FlatParameters::views(const torch::Tensor& block) const {
  TensorMap map;
  for (const Part& part : parts_) {
    map.emplace(part.name, view(block, part));
  }
  return map;
}

void FlatParameters::load(const torch::Tensor& block,
                          const TensorMap& values,
                          const std::string& what) const {
  const torch::NoGradGuard no_grad;
  for (const Part& part : parts_) {
    const auto found = values.find(part.name);
    if (found == values.end()) {
      throw MessageError(
          msg::weights_missing{.what = what, .tensor = part.name, .expected = parts_.size()});
    }
    if (found->second.sizes().vec() != part.shape) {
      throw MessageError(
          msg::weights_other_shape{.what = what,
                                   .tensor = part.name,
                                   .shape = c10::str(found->second.sizes()),
                                   .expected = c10::str(c10::IntArrayRef(part.shape))});
    }
    view(block, part).copy_(found->second);
  }
  if (values.size() != parts_.size()) {
    throw MessageError(msg::weights_other_count{
        .what = what, .tensors = values.size(), .expected = parts_.size()});
  }
}

std::vector<FlatParameters::Span> FlatParameters::spans(const IsWanted& wanted) const {
  std::vector<Span> found;
  for (const Part& part : parts_) {
    if (!wanted(part.name)) {
      continue;
    }
    const bool continues = !found.empty() && part.first != num_decayed_ &&
                           found.back().first + found.back().count == part.first;
    if (continues) {
      found.back().count += aligned(part.count);
    } else {
      found.push_back({.first = part.first, .count = aligned(part.count)});
    }
  }
  return found;
}

void FlatParameters::add(const torch::Tensor& block,
                         const std::vector<torch::Tensor>& gradients) const {
  QANAT_CHECK(gradients.size() == parts_.size()) << "one gradient per parameter";
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (gradients[i].defined()) {
      view(block, parts_[i]).add_(gradients[i]);
    }
  }
}

std::vector<torch::Tensor> FlatParameters::parameters(const torch::nn::Module& network) const {
  const auto named = network.named_parameters();
  std::vector<torch::Tensor> ordered;
  ordered.reserve(parts_.size());
  for (const Part& part : parts_) {
    ordered.push_back(named[part.name]);
  }
  return ordered;
}

}  // namespace qanat
