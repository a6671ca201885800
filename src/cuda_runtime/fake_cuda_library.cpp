// A library for QANAT_CUDA_RUNTIME, so that tests see the whole program on scripted GPUs. What they
// do is set with variables of the environment:
//
//   FAKE_CUDA_GPUS=1            that many GPUs; 2 when not given
//   FAKE_CUDA_START=35          CUDA does not start, with this code
//   FAKE_CUDA_DRIVER=12020      the newest CUDA the driver can do; 0: there is no driver
//   FAKE_CUDA_MEMORY=64         MB of each GPU
//   FAKE_CUDA_LOST_AFTER=500    calls after which GPU FAKE_CUDA_LOST (0) does not answer
//   FAKE_CUDA_FULL=1            allocations on this GPU fail,
//   FAKE_CUDA_FULL_AFTER=3      after so many that succeed
//   FAKE_CUDA_NO_PEERS=1        the GPUs cannot reach each other
//   FAKE_CUDA_CAPABILITY=70     compute capability; 86 when not given
#include <cstdlib>

#include "cuda_runtime/open_cuda_runtime.h"
#include "device/cuda/fake_cuda.h"

namespace {

std::optional<int> setting(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : std::optional(std::atoi(text));
}

}  // namespace

extern "C" qanat::CudaRuntime* qanat_make_cuda_runtime() {
  qanat::FakeCudaScript script;
  script.gpus = setting("FAKE_CUDA_GPUS").value_or(script.gpus);
  script.fails_to_start = setting("FAKE_CUDA_START");
  script.versions.driver = setting("FAKE_CUDA_DRIVER").value_or(script.versions.driver);
  if (const std::optional<int> memory = setting("FAKE_CUDA_MEMORY")) {
    script.memory = qanat::mebibytes(*memory);
  }
  if (const std::optional<int> calls = setting("FAKE_CUDA_LOST_AFTER")) {
    script.lost_after = *calls;
  }
  script.lost = setting("FAKE_CUDA_LOST").value_or(0);
  script.full = setting("FAKE_CUDA_FULL");
  script.full_after = setting("FAKE_CUDA_FULL_AFTER").value_or(0);
  script.peers_reach = !setting("FAKE_CUDA_NO_PEERS");
  script.capability = setting("FAKE_CUDA_CAPABILITY").value_or(script.capability);
  return new qanat::FakeCuda(script);
}
