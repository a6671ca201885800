// In place of torch_cuda_kernels.cpp where the program is built without QANAT_CUDA. Compiled alone,
// so that a test program may have kernels of its own instead.
#include "base/error.h"
#include "cuda_runtime/alignment_kernels.h"

namespace qanat {

AlignmentKernels& cuda_alignment_kernels() {
  throw Error("this program was built without CUDA");
}

}  // namespace qanat
