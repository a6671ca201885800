// What CUDA's own profiler (CUPTI, through libtorch) sees: every call of every thread into CUDA and
// all that the GPUs do, as a trace in Chrome's format. It counts waits that the backend does not
// know of; tools/gpu_acceptance.py reads it. Only with QANAT_CUDA.
#pragma once

#include <string>
#include <thread>

namespace qanat {

class CudaTrace {
 public:
  // Begins now. Throws when the profiler does not start.
  explicit CudaTrace(std::string path);
  CudaTrace(const CudaTrace&) = delete;
  CudaTrace& operator=(const CudaTrace&) = delete;
  // Ends and writes it: seconds. A file that cannot be written is missing afterwards.
  ~CudaTrace() = default;

 private:
  // libtorch wants begin and end in one thread, which owners of this need not have.
  std::jthread thread_;
};

}  // namespace qanat
