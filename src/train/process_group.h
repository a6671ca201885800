// The processes that train one model together, as far as a trainer has to know: who it is among
// how many, how gradients become everybody's, and where all wait for each other.
//
// One process is a group, too, and the only one there is so far; a group over NCCL or Gloo takes
// its place without a change in the trainer. Called by one thread, inside the work of the stream
// the tensors belong to.
#pragma once

#include <torch/types.h>

namespace qanat {

struct ProcessRank {
  int rank = 0;
  int world = 1;

  bool operator==(const ProcessRank&) const = default;
};

class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;

  virtual ProcessRank rank() const = 0;
  // Every process has the sum over all of them when the stream has come so far; asynchronous.
  virtual void sum(torch::Tensor& values) = 0;
  // Waits for all processes. For the ends of runs.
  virtual void barrier() = 0;
};

class SingleProcess : public ProcessGroup {
 public:
  ProcessRank rank() const override { return {}; }
  void sum(torch::Tensor& /*values*/) override {}
  void barrier() override {}
};

}  // namespace qanat
