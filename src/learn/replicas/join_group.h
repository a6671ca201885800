// Brings the processes of a run together over libtorch's c10d: Gloo between processors, NCCL
// between NVIDIA GPUs, a TCP store where they meet. Nothing of c10d shows outside.
#pragma once

#include <memory>
#include <stop_token>

#include "base/time.h"
#include "launch/replica_place.h"
#include "replicas/process_group.h"

namespace qanat {

struct JoinOptions {
  ReplicaPlace place;
  Seconds timeout{60.0};         // of a silent process, once all have come
  Seconds start_timeout{60.0};   // until all have come, and again until all are connected
  bool on_gpu = false;           // where the gradients are
  bool talk_over_store = false;  // what hosts say, as in builds without Gloo
  std::stop_token stop{};        // ends the wait for the others, until all are connected
};

// c10d ends the process where it cannot open a connection: throws MessageError when the limit of
// open files is too low for so many processes, after raising it as far as it may.
void check_open_files(int world);

// Waits until all are there. Throws MessageError when they do not come, when one of them was told
// of another number of processes, or when this build cannot exchange where the gradients are. A
// group of one is SingleProcess. The destructor returns in bounded time, also after a failure.
std::unique_ptr<ProcessGroup> join_group(const JoinOptions& options);

}  // namespace qanat
