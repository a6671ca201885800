// All parameters of a network in one block of memory, so that an update, a copy or a norm is one
// pass over it and not one per tensor.
//
// Matrices and higher come first, then vectors and scalars, which weight decay leaves alone. Every
// parameter starts at a multiple of 64 bytes; the gaps hold zeros and stay zero. A value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "checkpoint/safetensors.h"

namespace qanat {

class FlatParameters {
 public:
  explicit FlatParameters(const torch::nn::Module& network);

  std::int64_t size() const { return size_; }                // values, gaps included
  std::int64_t num_decayed() const { return num_decayed_; }  // the first ones: matrices
  std::int64_t num_parameters() const;                       // values, gaps not included

  // Where the values of a parameter begin; parameters are counted in the order of parameters().
  std::int64_t first(std::size_t parameter) const { return parts_[parameter].first; }
  // Those of one parameter.
  torch::Tensor view(const torch::Tensor& block, std::size_t parameter) const {
    return view(block, parts_[parameter]);
  }

  // A block of zeros for one value per parameter.
  torch::Tensor make_block(torch::Device device) const;  // f32 [size]
  // Moves the values of `network` into a new block, of which its parameters are views from then
  // on. `network` is the one of the constructor or one of the same shape.
  torch::Tensor adopt(torch::nn::Module& network, torch::Device device) const;
  // Makes the parameters of `network` views of `block`, whose values they take.
  void attach(torch::nn::Module& network, const torch::Tensor& block) const;

  // Views of `block` by the names of the parameters.
  TensorMap views(const torch::Tensor& block) const;
  // Copies into `block`. Throws Error when a name is missing, unknown or of another shape;
  // `what` names the tensors in its message.
  void load(const torch::Tensor& block, const TensorMap& values, const std::string& what) const;
  // Where the values of the parameters of these names are, gaps behind them included; neighbours
  // are one span. Matrices and vectors are never in one.
  struct Span {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  using IsWanted = std::function<bool(const std::string& name)>;
  std::vector<Span> spans(const IsWanted& wanted) const;
  // Adds one gradient per parameter, in the order of parameters(); undefined ones are zero.
  void add(const torch::Tensor& block, const std::vector<torch::Tensor>& gradients) const;

  // The parameters of `network` in the order of the block.
  std::vector<torch::Tensor> parameters(const torch::nn::Module& network) const;

 private:
  struct Part {
    std::string name;
    std::vector<std::int64_t> shape;
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  torch::Tensor view(const torch::Tensor& block, const Part& part) const;

  std::vector<Part> parts_;
  std::int64_t size_ = 0;
  std::int64_t num_decayed_ = 0;
};

}  // namespace qanat
