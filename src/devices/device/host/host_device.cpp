#include "device/host/host_device.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/thread.h"
#include "locale/messages/devices.h"

namespace qanat {
namespace {

constexpr std::align_val_t kAlignment{64};

class HostMemory : public DeviceMemory {
 public:
  HostMemory(std::shared_ptr<MemoryBudget> budget, Bytes bytes, Poison mode)
      : budget_(std::move(budget)), size_(bytes), mode_(mode) {
    budget_->charge(size_);
    try {
      begin_ = static_cast<std::byte*>(::operator new(num_bytes(), kAlignment));
    } catch (...) {
      budget_->release(size_);
      throw;
    }
    touch();
    fill();
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() override {
    fill();
    ::operator delete(begin_, kAlignment);
    budget_->release(size_);
  }

  std::span<std::byte> bytes() override { return {begin_, num_bytes()}; }

 private:
  std::size_t num_bytes() const { return static_cast<std::size_t>(size_.value); }
  // A GPU's memory is there when it is allocated; the host's only when it is first written, which
  // would count as time of the stream that happens to do so.
  void touch() {
    constexpr std::size_t kPage = 4096;
    for (std::size_t at = 0; at < num_bytes(); at += kPage) {
      begin_[at] = std::byte{0};
    }
  }
  void fill() {
    if (mode_ == Poison::on) {
      poison(bytes());
    }
  }

  const std::shared_ptr<MemoryBudget> budget_;
  const Bytes size_;
  const Poison mode_;
  std::byte* begin_ = nullptr;
};

}  // namespace

HostDevice::HostDevice(HostDeviceOptions options)
    : options_(std::move(options)),
      budget_(std::make_shared<MemoryBudget>(options_.id, options_.memory_limit)) {}

Message HostDevice::description() const {
  const std::optional<Bytes>& limit = options_.memory_limit;
  const Quantity cores{.value = static_cast<double>(num_threads()), .unit = Unit::cores};
  const Message memory =
      limit ? Message(msg::device_memory{.megabytes =
                                             plain(static_cast<double>(limit->value >> 20), 0)})
            : msg::device_memory_unlimited{};
  return options_.id.kind == DeviceKind::cpu
             ? Message(msg::device_cpu{.cores = cores, .memory = memory})
             : msg::device_virtual{.cores = cores, .memory = memory};
}

int HostDevice::num_threads() const {
  if (options_.threads > 0) {
    return options_.threads;
  }
  return options_.cores.empty() ? std::max(1, static_cast<int>(std::thread::hardware_concurrency()))
                                : static_cast<int>(options_.cores.size());
}

std::unique_ptr<DeviceStream> HostDevice::make_stream(const std::string& name) {
  return std::make_unique<HostStream>(
      HostStreamOptions{.name = fmt::format("{}/{}", name, options_.id.index),
                        .link = options_.link,
                        .on_thread_start =
                            [cores = options_.cores, bind = bind_] {
                              stay_on_cores(cores);
                              if (bind) {
                                bind();
                              }
                            }},
      clocks_);
}

std::unique_ptr<DeviceStream> HostDevice::make_copy_stream(const std::string& name) {
  return std::make_unique<HostStream>(
      HostStreamOptions{.name = fmt::format("{}/{}", name, options_.id.index),
                        .link = options_.link,
                        .on_thread_start = bind_},
      clocks_);
}

std::unique_ptr<DeviceEvent> HostDevice::make_event() {
  return std::make_unique<HostEvent>(clocks_.host_waits);
}

std::unique_ptr<DeviceMemory> HostDevice::allocate(Bytes bytes) {
  return std::make_unique<HostMemory>(budget_, bytes, options_.poison);
}

DeviceStats HostDevice::stats() const {
  return {.busy = clocks_.busy.read(),
          .copying = clocks_.copying.read(),
          .copied = Bytes{clocks_.copied_bytes.load()},
          .host_waits = clocks_.host_waits.load()};
}

}  // namespace qanat
