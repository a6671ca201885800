#include "torch_binding/torch_binding.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/version.h>

namespace qanat {
namespace {

// The one thread_local of the program: an allocator is called without context, so the device of
// the calling thread has to be known to the thread, as it is to CUDA's runtime.
std::shared_ptr<MemoryBudget>& thread_budget() {
  thread_local std::shared_ptr<MemoryBudget> budget;
  return budget;
}

// Stored in front of a tensor's memory; returns the charge when that is freed. In front, because
// oneDNN frees its buffers by pointer alone, without a context.
struct Charge {
  std::shared_ptr<MemoryBudget> budget;  // shared with the device: a tensor may outlive it
  Bytes bytes;
};

constexpr std::size_t kHeader = 64;  // keeps the alignment of what follows
static_assert(sizeof(Charge) <= kHeader);

void release(void* memory) {
  if (memory == nullptr) {
    return;
  }
  std::byte* const begin = static_cast<std::byte*>(memory) - kHeader;
  auto* const charge = std::launder(reinterpret_cast<Charge*>(begin));
  if (charge->budget != nullptr) {
    charge->budget->release(charge->bytes);
  }
  charge->~Charge();
  c10::free_cpu(begin);
}

// libtorch 1 asks through a const function, libtorch 2 through another one, and through
// copy_data(); whichever is virtual there is overridden here, so none can say so.
class AccountingAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) { return charged(bytes); }
  c10::DataPtr allocate(std::size_t bytes) const { return charged(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const {
    std::memcpy(to, from, bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }

 private:
  static c10::DataPtr charged(std::size_t bytes) {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0) {
      return {nullptr, nullptr, &release, cpu};
    }
    Charge charge{.budget = thread_budget(), .bytes = Bytes{static_cast<std::int64_t>(bytes)}};
    if (charge.budget != nullptr) {
      charge.budget->charge(charge.bytes);
    }
    auto* const begin = static_cast<std::byte*>(allocate_or_release(bytes + kHeader, charge));
    new (begin) Charge(std::move(charge));
    return {begin + kHeader, begin + kHeader, &release, cpu};
  }
  static void* allocate_or_release(std::size_t bytes, const Charge& charge) {
    try {
      return c10::alloc_cpu(bytes);
    } catch (...) {
      if (charge.budget != nullptr) {
        charge.budget->release(charge.bytes);
      }
      throw;
    }
  }
};

void install_allocator_once() {
  // Lives as long as the process: tensors of static lifetime may still point into it at exit.
  union Forever {
    Forever() : allocator() { c10::SetCPUAllocator(&allocator, /*priority=*/1); }
    ~Forever() {}
    AccountingAllocator allocator;
  };
  static Forever installed;
}

}  // namespace

TorchBudgetScope::TorchBudgetScope(std::shared_ptr<MemoryBudget> budget)
    : before_(std::exchange(thread_budget(), std::move(budget))) {}

TorchBudgetScope::~TorchBudgetScope() {
  thread_budget() = std::move(before_);
}

void bind_torch(HostDevice& device) {
  install_allocator_once();
  // The stream's thread ends with its stream, so its binding is never undone.
  device.set_thread_binding([budget = device.budget(), threads = device.num_threads()] {
    at::set_num_threads(threads);
    thread_budget() = budget;
  });
}

std::string torch_version() {
  return TORCH_VERSION;
}

bool torch_built_with_cuda() {
  return at::Context::hasCUDART();
}

}  // namespace qanat
