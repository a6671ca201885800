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
//   FAKE_CUDA_GRAPHS=1          recordings are the work of libtorch, done again
//   FAKE_CUDA_PACE=150          work takes 1.5 times as long as the host needs to compute it
//   FAKE_CUDA_LAUNCH_GAP=5      ms that the host is held up whenever it launches work
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
  script.other_memory = qanat::MemoryKind::device;  // libtorch's, which computes on the host
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
  if (setting("FAKE_CUDA_GRAPHS")) {
    script.graphs = qanat::FakeGraphs::of_work;
  }
  if (const std::optional<int> percent = setting("FAKE_CUDA_PACE")) {
    script.pace = *percent / 100.0;
  }
  script.launch_gap = qanat::Seconds{setting("FAKE_CUDA_LAUNCH_GAP").value_or(0) / 1e3};
  return new qanat::FakeCuda(script);
}
