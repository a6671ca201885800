#include <chrono>
#include <utility>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "replicas/backend.h"

namespace qanat {
namespace {

using NcclPointer = c10::intrusive_ptr<c10d::ProcessGroupNCCL>;

// Behind the work of the current stream, and before what that stream does after wait(): the host
// waits for nothing.
class NcclExchange : public Exchange {
 public:
  NcclExchange(c10::intrusive_ptr<c10d::Work> work, torch::Tensor sent, torch::Tensor values)
      : work_(std::move(work)), sent_(std::move(sent)), values_(std::move(values)) {}

  void wait() override {
    if (work_) {
      work_->wait();
      work_.reset();
      if (!sent_.is_same(values_)) {
        values_.copy_(sent_);
      }
    }
  }
  std::optional<Seconds> took() const override { return std::nullopt; }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  const torch::Tensor sent_;
  const torch::Tensor values_;
};

class NcclBackend : public Backend {
 public:
  explicit NcclBackend(const BackendOptions& options)
      : world_(options.place.world),
        group_(c10::make_intrusive<c10d::ProcessGroupNCCL>(
            c10::make_intrusive<c10d::PrefixStore>(options.name, options.store),
            options.place.rank,
            options.place.world)) {}

  std::string name() const override { return "nccl"; }

  std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                             const Sending& sending) override {
    torch::Tensor sent = values;
    if (sending.format == ExchangeFormat::bf16) {
      sent =
          sending.rounded.defined() ? sending.rounded.copy_(values) : values.to(torch::kBFloat16);
    }
    std::vector<at::Tensor> tensors{sent};
    return std::make_unique<NcclExchange>(group_->allreduce(tensors), sent, values);
  }

  void broadcast(const torch::Tensor& values) override {
    std::vector<at::Tensor> tensors{values};
    group_->broadcast(tensors)->wait();
  }

  torch::Tensor all_gather(const torch::Tensor& values) override {
    std::vector<std::vector<at::Tensor>> outputs(1);
    const torch::Tensor all = torch::empty({world_, values.numel()}, values.options());
    for (int i = 0; i < world_; ++i) {
      outputs[0].push_back(all[i]);
    }
    std::vector<at::Tensor> inputs{values};
    group_->allgather(outputs, inputs)->wait();
    return all.view({-1});
  }

  // What its kernels wait for does not come: streams go on with whatever they have.
  void fail() override { group_->abort(); }

 private:
  const int world_;
  const NcclPointer group_;
};

}  // namespace

bool has_nccl() {
  return true;
}

std::unique_ptr<Backend> make_nccl(const BackendOptions& options) {
  return std::make_unique<NcclBackend>(options);
}

}  // namespace qanat
