#include "device/torch_binding.h"

#include <memory>
#include <utility>

#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

namespace qanat {
namespace {

// The one thread_local of the program: an allocator is called without context, so the device of
// the calling thread has to be known to the thread, as it is to CUDA's runtime.
std::shared_ptr<MemoryBudget>& thread_budget() {
  thread_local std::shared_ptr<MemoryBudget> budget;
  return budget;
}

// Rides along with a tensor's memory and gives the charge back with it.
struct Charge {
  std::shared_ptr<MemoryBudget> budget;  // shared with the device: a tensor may outlive it
  Bytes bytes;
  c10::DataPtr memory;
};

void release_charge(void* context) {
  const std::unique_ptr<Charge> charge(static_cast<Charge*>(context));
  charge->memory.clear();
  charge->budget->release(charge->bytes);
}

class AccountingAllocator : public c10::Allocator {
 public:
  explicit AccountingAllocator(c10::Allocator& inner) : inner_(inner) {}

  c10::DataPtr allocate(std::size_t bytes) const override {
    const std::shared_ptr<MemoryBudget> budget = thread_budget();
    if (budget == nullptr) {
      return inner_.allocate(bytes);
    }
    const Bytes charged{static_cast<std::int64_t>(bytes)};
    budget->charge(charged);
    try {
      auto charge = std::make_unique<Charge>(
          Charge{.budget = budget, .bytes = charged, .memory = inner_.allocate(bytes)});
      void* begin = charge->memory.get();
      return {begin, charge.release(), &release_charge, c10::Device(c10::DeviceType::CPU)};
    } catch (...) {
      budget->release(charged);
      throw;
    }
  }

 private:
  c10::Allocator& inner_;
};

void install_allocator_once() {
  // Lives as long as the process: tensors of static lifetime may still point into it at exit.
  static const auto* const kInstalled = [] {
    auto* allocator = new AccountingAllocator(*c10::GetCPUAllocator());
    c10::SetCPUAllocator(allocator, /*priority=*/1);
    return allocator;
  }();
  (void)kInstalled;
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

}  // namespace qanat
