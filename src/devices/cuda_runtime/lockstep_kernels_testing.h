// The kernels of forward sum and durations, executed by the host: see lockstep_testing.h.
#pragma once

#include <algorithm>

#include "cuda_runtime/alignment_kernels.h"
#include "cuda_runtime/lockstep_testing.h"

namespace qanat {

namespace gpu {
#include "cuda_runtime/alignment.cu"
}  // namespace gpu

class LockstepKernels : public AlignmentKernels {
 public:
  // With so many threads of a block that tokens are a second and third turn of them.
  explicit LockstepKernels(int threads) : threads_(threads) {}

  void forward_sum(const ForwardSumArguments& arguments, const Grid& grid) override {
    lockstep::run(launch(grid), [&] { return gpu::forward_sum(arguments); });
  }
  void search_durations(const DurationArguments& arguments, const Grid& grid) override {
    lockstep::run(launch(grid), [&] { return gpu::search_durations(arguments); });
  }

 private:
  lockstep::Launch launch(const Grid& grid) {
    return {.rows = grid.rows, .threads = std::min(grid.threads, threads_), .seed = seed_++};
  }

  const int threads_;
  unsigned seed_ = 0;
};

}  // namespace qanat
