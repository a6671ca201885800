#include "train/watched_device_testing.h"

#if TORCH_VERSION_MAJOR == 1

#include <array>
#include <map>
#include <mutex>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include "cuda_runtime/lockstep_kernels_testing.h"

namespace qanat {
namespace {

constexpr c10::DeviceType kWatched = c10::DeviceType::XPU;

// What was noted, and which memory is pinned. Of the process, because libtorch's tables of
// operators are.
struct Notes {
  std::mutex mutex;  // guards everything below
  std::set<std::string> seen;
  std::map<const std::byte*, std::size_t> pinned;
};

Notes& notes() {
  static Notes notes;
  return notes;
}

void note(const std::string& what) {
  const std::lock_guard lock(notes().mutex);
  notes().seen.insert(what);
}

bool is_pinned(const at::Tensor& tensor) {
  const auto* address = static_cast<const std::byte*>(tensor.data_ptr());
  const std::lock_guard lock(notes().mutex);
  const auto after = notes().pinned.upper_bound(address);
  return after != notes().pinned.begin() &&
         address < std::prev(after)->first + std::prev(after)->second;
}

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) const override {
    auto* const block = static_cast<std::byte*>(c10::GetCPUAllocator()->raw_allocate(bytes));
    const std::lock_guard lock(notes().mutex);
    notes().pinned[block] = std::max<std::size_t>(bytes, 1);
    return {block, block, &give_back, c10::Device(c10::kCPU)};
  }

 private:
  static void give_back(void* block) {
    {
      const std::lock_guard lock(notes().mutex);
      notes().pinned.erase(static_cast<std::byte*>(block));
    }
    c10::GetCPUAllocator()->raw_deallocate(block);
  }
};

class PinnedHooks final : public at::CUDAHooksInterface {
 public:
  c10::Allocator* getPinnedMemoryAllocator() const override {
    static PinnedAllocator allocator;
    return &allocator;
  }
};

const bool kHooksAreThere = [] {
  at::CUDAHooksRegistry()->Register(
      "CUDAHooks", [](at::CUDAHooksArgs) { return std::make_unique<PinnedHooks>(); });
  return true;
}();

// The same values seen from the other side; keeps the tensor it is made of.
at::Tensor seen_from(const at::Tensor& tensor, c10::DeviceType type, c10::DispatchKey key) {
  const c10::Storage& storage = tensor.storage();
  c10::DataPtr data(
      storage.data(),
      new at::Tensor(tensor),
      [](void* owner) { delete static_cast<at::Tensor*>(owner); },
      type == c10::kCPU ? c10::Device(type) : c10::Device(type, 0));
  at::Tensor other =
      at::detail::make_tensor<c10::TensorImpl>(c10::Storage(c10::Storage::use_byte_size_t(),
                                                            storage.nbytes(),
                                                            std::move(data),
                                                            c10::GetCPUAllocator(),
                                                            /*resizable=*/true),
                                               c10::DispatchKeySet(key),
                                               tensor.dtype());
  other.unsafeGetTensorImpl()->set_sizes_and_strides(
      tensor.sizes(), tensor.strides(), tensor.storage_offset());
  return other;
}

at::Tensor to_host(const at::Tensor& tensor) {
  const bool is_watched = tensor.defined() && tensor.device().type() == kWatched;
  return is_watched ? seen_from(tensor, c10::kCPU, c10::DispatchKey::CPU) : tensor;
}

at::Tensor to_watched(const at::Tensor& tensor) {
  const bool is_host = tensor.defined() && tensor.device().type() == c10::kCPU;
  return is_host ? seen_from(tensor, kWatched, c10::DispatchKey::XPU) : tensor;
}

// Operators of which the host reads what they return, or how large it is.
bool is_read_by_host(const std::string& name) {
  static const std::set<std::string> kReading = {"aten::_local_scalar_dense",
                                                 "aten::is_nonzero",
                                                 "aten::nonzero",
                                                 "aten::masked_select",
                                                 "aten::equal",
                                                 "aten::_unique2",
                                                 "aten::bincount",
                                                 "aten::repeat_interleave.Tensor",
                                                 "aten::repeat_interleave",
                                                 "aten::_ctc_loss"};
  return kReading.contains(name);
}

struct Written {
  at::Tensor original;
  at::Tensor on_host;
};

class HostCall {
 public:
  HostCall(const c10::OperatorHandle& op, torch::jit::Stack& stack)
      : schema_(op.schema()), stack_(stack) {}

  void replace_arguments() {
    const std::size_t count = schema_.arguments().size();
    const std::size_t first = stack_.size() - count;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_written = schema_.arguments()[i].alias_info() != nullptr &&
                              schema_.arguments()[i].alias_info()->isWrite();
      stack_[first + i] = on_host(stack_[first + i], is_written);
    }
    if (has_watched_ && has_host_) {
      note("a tensor of the host in " + schema_.name());
    }
  }

  void replace_results() {
    const std::size_t count = schema_.returns().size();
    const std::size_t first = stack_.size() - count;
    std::size_t written = 0;
    for (const Written& tensor : written_) {
      follow_resize(tensor);
    }
    for (std::size_t i = 0; i < count; ++i) {
      c10::IValue& value = stack_[first + i];
      const c10::AliasInfo* const alias = schema_.returns()[i].alias_info();
      if (value.isTensor() && alias != nullptr && alias->isWrite() && written < written_.size()) {
        value = written_[written++].original;
      } else {
        value = watched(value);
      }
    }
  }

 private:
  c10::IValue on_host(const c10::IValue& value, bool is_written) {
    if (value.isTensor()) {
      return c10::IValue(on_host(value.toTensor(), is_written));
    }
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) {
        list.push_back(on_host(tensor, is_written));
      }
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<c10::optional<at::Tensor>> list;
      for (const c10::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
        list.push_back(tensor ? c10::optional<at::Tensor>(on_host(*tensor, is_written))
                              : c10::optional<at::Tensor>());
      }
      return list;
    }
    if (value.isDevice() && value.toDevice().type() == kWatched) {
      return c10::IValue(c10::Device(c10::kCPU));
    }
    return value;
  }
  at::Tensor on_host(const at::Tensor& tensor, bool is_written) {
    if (!tensor.defined()) {
      return tensor;
    }
    if (tensor.device().type() != kWatched) {
      has_host_ = has_host_ || tensor.dim() > 0;  // a number is given to a kernel as it is
      return tensor;
    }
    has_watched_ = true;
    at::Tensor host = to_host(tensor);
    if (is_written) {
      written_.push_back({.original = tensor, .on_host = host});
    }
    return host;
  }
  static c10::IValue watched(const c10::IValue& value) {
    if (value.isTensor()) {
      return c10::IValue(to_watched(value.toTensor()));
    }
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) {
        list.push_back(to_watched(tensor));
      }
      return list;
    }
    return value;
  }
  static void follow_resize(const Written& written) {
    const at::Tensor& host = written.on_host;
    const at::Tensor& original = written.original;
    if (host.data_ptr() != original.data_ptr()) {
      original.unsafeGetTensorImpl()->set_storage_keep_dtype(to_watched(host).storage());
    }
    if (host.sizes() != original.sizes() || host.strides() != original.strides()) {
      original.unsafeGetTensorImpl()->set_sizes_and_strides(
          host.sizes(), host.strides(), host.storage_offset());
    }
  }

  const c10::FunctionSchema& schema_;
  torch::jit::Stack& stack_;
  std::vector<Written> written_;
  bool has_watched_ = false;
  bool has_host_ = false;
};

void call_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (is_read_by_host(op.schema().name())) {
    note(op.schema().name());
  }
  HostCall call(op, *stack);
  call.replace_arguments();
  op.callBoxed(stack);
  call.replace_results();
}

at::Tensor copy_between(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  const at::Tensor* host = nullptr;
  if (from.device().type() != kWatched) {
    host = &from;
  } else if (to.device().type() != kWatched) {
    host = &to;
  }
  if (host != nullptr) {
    const std::string direction = host == &from ? "from" : "to";
    if (!is_pinned(*host)) {
      note("a copy " + direction + " pageable memory");
    } else if (!non_blocking) {
      note("a copy " + direction + " the host that is waited for");
    }
  }
  to_host(to).copy_(to_host(from));
  return to;
}

// libtorch has these for devices that it does not know.
at::Tensor convolve(const at::Tensor& input,
                    const at::Tensor& weight,
                    const c10::optional<at::Tensor>& bias,
                    at::IntArrayRef stride,
                    at::IntArrayRef padding,
                    at::IntArrayRef dilation,
                    bool transposed,
                    at::IntArrayRef output_padding,
                    int64_t groups) {
  return to_watched(at::convolution(to_host(input),
                                    to_host(weight),
                                    bias ? c10::optional<at::Tensor>(to_host(*bias)) : bias,
                                    stride,
                                    padding,
                                    dilation,
                                    transposed,
                                    output_padding,
                                    groups));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolve_backward(const at::Tensor& gradient,
                                                                 const at::Tensor& input,
                                                                 const at::Tensor& weight,
                                                                 at::IntArrayRef stride,
                                                                 at::IntArrayRef padding,
                                                                 at::IntArrayRef dilation,
                                                                 bool transposed,
                                                                 at::IntArrayRef output_padding,
                                                                 int64_t groups,
                                                                 std::array<bool, 3> wanted) {
  const auto [to_input, to_weight, to_bias] =
      at::convolution_backward(to_host(gradient),
                               to_host(input),
                               to_host(weight),
                               at::IntArrayRef{weight.size(0)},
                               stride,
                               padding,
                               dilation,
                               transposed,
                               output_padding,
                               groups,
                               wanted);
  return {to_watched(to_input), to_watched(to_weight), to_watched(to_bias)};
}

// libtorch asks for it wherever it computes gradients.
class WatchedGuard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kWatched; }
  c10::Device exchangeDevice(c10::Device) const override { return {kWatched, 0}; }
  c10::Device getDevice() const override { return {kWatched, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
};

C10_REGISTER_GUARD_IMPL(XPU, WatchedGuard);

TORCH_LIBRARY_IMPL(_, XPU, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&call_on_host>());
}

TORCH_LIBRARY_IMPL(aten, XPU, library) {
  library.impl("_copy_from", &copy_between);
  library.impl("convolution_overrideable", &convolve);
  library.impl("convolution_backward_overrideable", &convolve_backward);
}

}  // namespace

// In place of those that are compiled for a GPU.
AlignmentKernels& cuda_alignment_kernels() {
  constexpr int kThreads = 8;  // fewer than tokens need, so that they take turns
  static LockstepKernels kernels(kThreads);
  return kernels;
}

HostWaitWatch::HostWaitWatch() {
  const std::lock_guard lock(notes().mutex);
  notes().seen.clear();
}

std::set<std::string> HostWaitWatch::seen() const {
  const std::lock_guard lock(notes().mutex);
  return notes().seen;
}

}  // namespace qanat

#else

namespace qanat {

HostWaitWatch::HostWaitWatch() = default;

std::set<std::string> HostWaitWatch::seen() const {
  return {};
}

}  // namespace qanat

#endif
