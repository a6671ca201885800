#include "train/host_snapshot.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "train/memory_attempt.h"

namespace qanat {
namespace {

constexpr std::size_t kSnapshotAlignment = 64;  // bytes

std::size_t aligned_bytes(const torch::Tensor& block) {
  return (block.nbytes() + kSnapshotAlignment - 1) / kSnapshotAlignment * kSnapshotAlignment;
}

std::span<std::byte> bytes_of_block(const torch::Tensor& block) {
  return {static_cast<std::byte*>(block.data_ptr()), block.nbytes()};
}

}  // namespace

Bytes HostSnapshot::bytes_of(const std::vector<torch::Tensor>& blocks) {
  std::size_t bytes = 0;
  for (const torch::Tensor& block : blocks) {
    bytes += aligned_bytes(block);
  }
  return Bytes{static_cast<std::int64_t>(bytes)};
}

HostSnapshot::HostSnapshot(Device& device,
                           DeviceStream& stream,
                           std::vector<torch::Tensor> blocks,
                           SnapshotRoom room)
    : stream_(stream),
      blocks_(std::move(blocks)),
      bytes_(static_cast<std::size_t>(bytes_of(blocks_).value)),
      allocator_(device.is_discrete() ? device.pinned_blocks() : make_host_allocator()),
      memory_(allocator_->allocate(bytes_)),
      copied_(device.make_event()),
      fetched_(device.make_event()) {
  std::byte* begin = memory_;
  for (const torch::Tensor& block : blocks_) {
    QANAT_CHECK(block.is_contiguous()) << "a block is one piece of memory";
    on_host_.push_back(
        torch::from_blob(begin, block.sizes(), torch::TensorOptions().dtype(block.dtype())));
    begin += aligned_bytes(block);
  }
  if (device.is_discrete() && room == SnapshotRoom::on_device) {
    take_device_memory();
  }
  if (!on_device_.empty()) {
    link_ = device.make_copy_stream("snapshot");
  }
}

HostSnapshot::~HostSnapshot() {
  link_.reset();
  allocator_->release(memory_, bytes_);
}

void HostSnapshot::take_device_memory() {
  stream_.submit([this] {
    std::vector<torch::Tensor> copies;
    const std::string why = why_not_fitting([&] {
      for (const torch::Tensor& block : blocks_) {
        copies.push_back(torch::empty_like(block));
      }
    });
    if (why.empty()) {
      on_device_ = std::move(copies);
    }
  });
  stream_.synchronise();
}

void HostSnapshot::copy() {
  const torch::NoGradGuard no_grad;
  const std::vector<torch::Tensor>& copies = on_device_.empty() ? on_host_ : on_device_;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    copies[i].copy_(blocks_[i], /*non_blocking=*/true);
  }
}

void HostSnapshot::fetch(std::function<void()> then) {
  if (link_ == nullptr) {
    stream_.record(*fetched_);
    stream_.then(std::move(then));
    return;
  }
  stream_.record(*copied_);
  link_->wait(*copied_);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    link_->copy(bytes_of_block(on_host_[i]), bytes_of_block(on_device_[i]));
  }
  link_->record(*fetched_);
  link_->then(std::move(then));
}

void HostSnapshot::wait() {
  if (link_ != nullptr) {
    link_->synchronise();
  }
}

void HostSnapshot::require_whole() {
  fetched_->synchronise();
}

const torch::Tensor& HostSnapshot::of(const torch::Tensor& block) const {
  const auto found = std::ranges::find_if(
      blocks_, [&](const torch::Tensor& known) { return known.data_ptr() == block.data_ptr(); });
  QANAT_CHECK(found != blocks_.end()) << "a block that is not part of the snapshot";
  return on_host_[static_cast<std::size_t>(found - blocks_.begin())];
}

}  // namespace qanat
