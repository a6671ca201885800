#include "replicas/backend.h"

#ifdef QANAT_GLOO

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "base/files.h"
#include "base/thread.h"
#include "replicas/exchange_queue.h"
#include "replicas/work_poll.h"

namespace qanat {
namespace {

using WorkPointer = c10::intrusive_ptr<c10d::Work>;
using GlooPointer = c10::intrusive_ptr<c10d::ProcessGroupGloo>;

constexpr auto kPoll = std::chrono::milliseconds(200);

// The address of this machine on the way to rank 0: a name may stand for the loopback interface.
std::string own_address(const ReplicaPlace& place) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(place.address.c_str(), std::to_string(place.port).c_str(), &hints, &found) !=
      0) {
    return "";
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  const UniqueFd socket(::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  std::array<char, NI_MAXHOST> text{};
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool known =
      socket && ::connect(socket.get(), found->ai_addr, found->ai_addrlen) == 0 &&
      ::getsockname(socket.get(), generic, &size) == 0 &&
      ::getnameinfo(generic, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  return known ? text.data() : "";
}

std::shared_ptr<::gloo::transport::Device> make_device(const ReplicaPlace& place) {
  if (const auto interface = environment_variable("GLOO_SOCKET_IFNAME")) {
    return c10d::ProcessGroupGloo::createDeviceForInterface(*interface);
  }
  const std::string address = own_address(place);
  return address.empty() ? c10d::ProcessGroupGloo::createDefaultDevice()
                         : c10d::ProcessGroupGloo::createDeviceForHostname(address);
}

GlooPointer connect(const BackendOptions& options) {
  const auto gloo = c10d::ProcessGroupGloo::Options::create();
  gloo->devices.push_back(make_device(options.place));
  gloo->threads = 1;  // what was started first is exchanged first
  // Who is silent is found by the heartbeat; this only bounds what nobody foresees.
  gloo->timeout = std::chrono::hours(24);
  return c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>(options.name, options.store),
      options.place.rank,
      options.place.world,
      gloo);
}

// Gloo connects in one call, which ends neither with a stop nor when another process does not come.
// It has a thread of its own; when it is given up, that thread stays behind with what it uses,
// until the process ends.
GlooPointer connect_in_time(const BackendOptions& options) {
  struct Attempt {
    BackendOptions options;
    std::promise<GlooPointer> result;
    std::jthread thread;
  };
  auto attempt = std::make_unique<Attempt>();
  attempt->options = options;
  std::future<GlooPointer> connected = attempt->result.get_future();
  attempt->thread = start_thread("connect", [attempt = attempt.get()](const std::stop_token&) {
    try {
      attempt->result.set_value(connect(attempt->options));
    } catch (...) {
      attempt->result.set_exception(std::current_exception());
    }
  });
  try {
    GlooPointer group;
    options.connect([&] {
      if (connected.wait_for(kPoll) != std::future_status::ready) {
        return false;
      }
      group = connected.get();
      return true;
    });
    return group;
  } catch (...) {
    if (connected.valid()) {
      (void)attempt.release();
    }
    throw;
  }
}

// The connections, shared by those who wait for a call and the thread that makes them.
struct Connections {
  GlooPointer group;
  Waiter wait;
  int rank = 0;
  int world = 1;

  void finish(const WorkPointer& work) const {
    wait([&] { return is_done(*work, kPoll); });
  }

  void all_reduce(const torch::Tensor& values) const {
    std::vector<at::Tensor> tensors{values};
    finish(group->allreduce(tensors));
  }

  // Every rank adds up its part in f32, so that only what travels is rounded: twice, and to the
  // same on every rank.
  void all_reduce_bf16(const torch::Tensor& values) const {
    const std::int64_t part = (values.numel() + world - 1) / world;
    const auto bits = torch::TensorOptions().dtype(torch::kBFloat16);
    torch::Tensor sent = torch::zeros({part * world}, bits);
    sent.narrow(0, 0, values.numel()).copy_(values);
    torch::Tensor parts = torch::empty({part * world}, bits);
    torch::Tensor to = parts.view(torch::kHalf);  // Gloo knows no bf16, and only carries it here
    torch::Tensor from = sent.view(torch::kHalf);
    std::vector<std::int64_t> even;
    finish(group->alltoall_base(to, from, even, even));
    const torch::Tensor sum = parts.view({world, part}).to(torch::kFloat32).sum(0);
    const torch::Tensor rounded = sum.to(torch::kBFloat16);
    values.copy_(
        gather(rounded.view(torch::kHalf)).view(torch::kBFloat16).narrow(0, 0, values.numel()));
  }

  torch::Tensor gather(const torch::Tensor& values) const {
    torch::Tensor all = torch::empty({world, values.numel()}, values.options());
    std::vector<std::vector<at::Tensor>> outputs(1);
    for (int i = 0; i < world; ++i) {
      outputs[0].push_back(all[i]);
    }
    std::vector<at::Tensor> inputs{values};
    finish(group->allgather(outputs, inputs));
    return all.view({-1});
  }
};

class GlooBackend : public Backend {
 public:
  explicit GlooBackend(const BackendOptions& options)
      : connections_{.group = connect_in_time(options),
                     .wait = options.wait,
                     .rank = options.place.rank,
                     .world = options.place.world},
        queue_(std::make_unique<ExchangeQueue>()) {}
  GlooBackend(const GlooBackend&) = delete;
  GlooBackend& operator=(const GlooBackend&) = delete;
  // Gloo's own threads wait for a process that is gone, and cannot be told: they end with this one.
  ~GlooBackend() override {
    queue_.reset();
    if (has_failed_) {
      (void)connections_.group.release();
    }
  }

  std::string name() const override { return "gloo"; }

  std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                             const Sending& sending) override {
    return queue_->start([this, values, format = sending.format] {
      const torch::NoGradGuard no_grad;
      format == ExchangeFormat::bf16 ? connections_.all_reduce_bf16(values)
                                     : connections_.all_reduce(values);
    });
  }

  void broadcast(const torch::Tensor& values) override {
    std::vector<at::Tensor> tensors{values};
    connections_.finish(connections_.group->broadcast(tensors));
  }

  torch::Tensor all_gather(const torch::Tensor& values) override {
    return connections_.gather(values);
  }

  void fail() override { has_failed_ = true; }

 private:
  Connections connections_;
  std::atomic<bool> has_failed_ = false;
  std::unique_ptr<ExchangeQueue> queue_;
};

}  // namespace

bool has_gloo() {
  return true;
}

std::unique_ptr<Backend> make_gloo(const BackendOptions& options) {
  return std::make_unique<GlooBackend>(options);
}

}  // namespace qanat

#else

namespace qanat {

bool has_gloo() {
  return false;
}

std::unique_ptr<Backend> make_gloo(const BackendOptions& /*options*/) {
  return nullptr;
}

}  // namespace qanat

#endif
