// Forward sum and search of durations where the log weights are: on a GPU, without the host waiting
// for it. What the kernels need is allocated here; how they are launched is behind an interface,
// which tests implement without a GPU.
#pragma once

#include <torch/types.h>

#include "cuda_runtime/alignment_arguments.h"

namespace qanat {

class AlignmentKernels {
 public:
  virtual ~AlignmentKernels() = default;

  // One block of `threads` for each row, on libtorch's current stream.
  struct Grid {
    int rows = 0;
    int threads = 0;
  };
  virtual void forward_sum(const ForwardSumArguments& arguments, const Grid& grid) = 0;
  virtual void search_durations(const DurationArguments& arguments, const Grid& grid) = 0;
};

// Those of this process's GPUs: compiled for the current one when first asked for. Throws Error
// when they cannot be, and where the program was built without CUDA.
AlignmentKernels& cuda_alignment_kernels();

// Lengths are i64 [B], at least 1, and no row has more tokens than frames: nobody could tell the
// host in time.
struct AlignmentLengthTensors {
  torch::Tensor tokens;
  torch::Tensor frames;
};

struct ForwardSums {
  torch::Tensor losses;    // f32 [B]
  torch::Tensor gradient;  // f32 [B, T, N], by the log weights of the tokens before normalisation
};

// normal: f32 [B, T, 1 + N], log weights of "no token" and of each token, normalised.
ForwardSums forward_sums(AlignmentKernels& kernels,
                         const torch::Tensor& normal,
                         const AlignmentLengthTensors& lengths);

// scores: f32 [B, T, N]. i64 [B, N], as monotonic_durations().
torch::Tensor search_durations(AlignmentKernels& kernels,
                               const torch::Tensor& scores,
                               const AlignmentLengthTensors& lengths);

}  // namespace qanat
