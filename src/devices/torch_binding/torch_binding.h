// Makes libtorch respect a host device: its threads, and its memory budget.
//
// libtorch knows one CPU. This tells it, thread by thread, which device it works for: intra-op
// threads are bounded to the device's cores, and every tensor allocated on one of its streams is
// charged to its budget until the tensor's memory is freed, wherever that happens. Scratch memory
// that BLAS allocates on its own is not seen.
#pragma once

#include <string>

#include "device/host/host_device.h"

namespace qanat {

// Call before the device makes streams. The first call in a process installs the allocator; oneDNN
// must not be working on another thread at that moment.
void bind_torch(HostDevice& device);

// Charges what the calling thread allocates through libtorch, while the scope lasts.
class TorchBudgetScope {
 public:
  explicit TorchBudgetScope(std::shared_ptr<MemoryBudget> budget);
  TorchBudgetScope(const TorchBudgetScope&) = delete;
  TorchBudgetScope& operator=(const TorchBudgetScope&) = delete;
  ~TorchBudgetScope();

 private:
  std::shared_ptr<MemoryBudget> before_;
};

// Which libtorch this program was built with, for reports that do not include it.
std::string torch_version();   // "1.13.1"
bool torch_built_with_cuda();  // whether or not there is a driver

}  // namespace qanat
