// The processes that train one model together: rank, world size, all-reduce and barrier.
//
// A single process is the only implementation so far; one over NCCL or Gloo can replace it without
// a change in the trainer. Called by one thread, inside the work of the stream that the tensors
// belong to.
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
  // All-reduce: replaces `values` by their sum over all ranks; asynchronous, in the order of the
  // stream.
  virtual void all_reduce(torch::Tensor& values) = 0;
  // Waits for all processes. For the ends of runs.
  virtual void barrier() = 0;
};

class SingleProcess : public ProcessGroup {
 public:
  ProcessRank rank() const override { return {}; }
  void all_reduce(torch::Tensor& /*values*/) override {}
  void barrier() override {}
};

}  // namespace qanat
