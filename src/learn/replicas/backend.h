// What carries tensors between processes: c10d's Gloo or NCCL, as far as this build has them. For
// c10d_group.cpp only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/types.h>

#include "config/run_config.h"
#include "launch/replica_place.h"
#include "replicas/process_group.h"

namespace qanat {

// Waits until a call of c10d is done; throws ReplicaLost when a process is gone.
//
// `poll` waits a little and says whether it is.
using Waiter = std::function<void(const std::function<bool()>& poll)>;

// One set of connections. All calls but the destructor are collective and for one thread at a time.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string name() const = 0;
  virtual std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                                     const Sending& sending) = 0;
  virtual void broadcast(const torch::Tensor& values) = 0;
  // `values` of all ranks, one after the other.
  virtual torch::Tensor all_gather(const torch::Tensor& values) = 0;
  // The connections are broken: nothing waits for them any more. From any thread.
  virtual void fail() = 0;
};

struct BackendOptions {
  ReplicaPlace place;
  c10::intrusive_ptr<c10d::Store> store;
  std::string name;  // tells it from other backends of the same processes
  Waiter connect;    // while it is made: throws also when that is stopped or takes too long
  Waiter wait;
};

bool has_gloo();
bool has_nccl();
// Null when this build does not have it.
std::unique_ptr<Backend> make_gloo(const BackendOptions& options);
std::unique_ptr<Backend> make_nccl(const BackendOptions& options);

}  // namespace qanat
