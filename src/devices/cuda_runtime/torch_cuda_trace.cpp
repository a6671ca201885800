#include "cuda_runtime/torch_cuda_trace.h"

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include <torch/csrc/autograd/profiler_kineto.h>

#include "base/thread.h"

namespace qanat {
namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

void begin_trace() {
  const ProfilerConfig config(ProfilerState::KINETO);
  const std::set<ActivityType> activities{ActivityType::CUDA};
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
}

void end_trace(const std::string& path) {
  try {
    profiler::disableProfiler()->save(path);
  } catch (const std::exception&) {
    // Who looks for the file does not find it.
  }
}

void wait_for(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop, [] { return false; });
}

}  // namespace

CudaTrace::CudaTrace(std::string path) {
  const auto begun = std::make_shared<std::promise<void>>();  // shared with the thread
  thread_ =
      start_thread("cuda trace", [begun, path = std::move(path)](const std::stop_token& stop) {
        try {
          begin_trace();
        } catch (...) {
          begun->set_exception(std::current_exception());
          return;
        }
        begun->set_value();
        wait_for(stop);
        end_trace(path);
      });
  begun->get_future().get();
}

}  // namespace qanat
