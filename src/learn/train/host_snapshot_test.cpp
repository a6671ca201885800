#include "train/host_snapshot.h"

#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "device/cuda/cuda_testing.h"
#include "device/device_lost.h"
#include "device/host/host_device.h"

namespace qanat {
namespace {

using cuda_testing::Machine;

std::vector<torch::Tensor> two_blocks() {
  return {torch::arange(100, torch::kFloat32), torch::full({1}, 7.0, torch::kFloat64)};
}

// Takes it and waits until the host has it.
void take(HostSnapshot& snapshot, DeviceStream& stream) {
  std::promise<void> fetched;
  stream.submit([&] { snapshot.copy(); });
  snapshot.fetch([&] { fetched.set_value(); });
  fetched.get_future().wait();
  snapshot.require_whole();
}

TEST(HostSnapshotTest, HoldsWhatTheBlocksWereOnADeviceWithoutMemoryOfItsOwn) {
  HostDevice device({.id = {.kind = DeviceKind::virtual_gpu}});
  const auto stream = device.make_stream("train");
  const std::vector<torch::Tensor> blocks = two_blocks();
  HostSnapshot snapshot(device, *stream, blocks, SnapshotRoom::on_device);

  take(snapshot, *stream);
  stream->submit([&] { blocks[0].zero_(); });
  stream->synchronise();

  EXPECT_TRUE(torch::equal(snapshot.of(blocks[0]), torch::arange(100, torch::kFloat32)));
  EXPECT_TRUE(torch::equal(snapshot.of(blocks[1]), blocks[1]));
}

class CudaSnapshotTest : public testing::TestWithParam<SnapshotRoom> {};

TEST_P(CudaSnapshotTest, TakesMemoryWhenItIsMadeAndNeverMakesTheHostWait) {
  const Machine machine({.other_memory = MemoryKind::device});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("train");
  const std::vector<torch::Tensor> blocks = two_blocks();
  HostSnapshot snapshot(*device, *stream, blocks, GetParam());
  take(snapshot, *stream);
  const FakeCuda::Counts before = machine.fake->counts();
  const std::int64_t waits = device->stats().host_waits;

  for (int i = 0; i < 20; ++i) {
    stream->submit([&] { blocks[0].add_(1); });
    take(snapshot, *stream);
  }

  EXPECT_TRUE(torch::equal(snapshot.of(blocks[0]), torch::arange(20, 120, torch::kFloat32)));
  EXPECT_EQ(device->stats().host_waits, waits);
  EXPECT_EQ(machine.fake->counts().pinned_made, before.pinned_made);
  EXPECT_EQ(machine.fake->counts().events_made, before.events_made);
}

INSTANTIATE_TEST_SUITE_P(Rooms,
                         CudaSnapshotTest,
                         testing::Values(SnapshotRoom::on_device, SnapshotRoom::on_host_only),
                         [](const auto& room) {
                           return room.param == SnapshotRoom::on_device ? "OnDevice" : "OnHostOnly";
                         });

// A link that moves nothing until it is told to: the training stream gets on without it, and
// what it changes meanwhile is not in the snapshot.
TEST(HostSnapshotTest, TheStreamDoesNotWaitForTheLink) {
  std::promise<void> go;
  const std::shared_future<void> link = go.get_future().share();
  const std::thread::id host = std::this_thread::get_id();
  const Machine machine(
      {.execution = FakeExecution::lazy, .other_memory = MemoryKind::device, .delay = [&] {
         if (std::this_thread::get_id() != host) {
           link.wait();
         }
       }});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("train");
  const std::vector<torch::Tensor> blocks = two_blocks();
  HostSnapshot snapshot(*device, *stream, blocks, SnapshotRoom::on_device);
  std::promise<void> fetched;
  stream->submit([&] { snapshot.copy(); });
  snapshot.fetch([&] { fetched.set_value(); });

  stream->submit([&] { blocks[0].fill_(-1); });
  stream->synchronise();

  EXPECT_EQ(machine.fake->counts().copies, 2);  // asked for
  EXPECT_FALSE(torch::equal(snapshot.of(blocks[0]), torch::arange(100, torch::kFloat32)));
  go.set_value();
  fetched.get_future().wait();
  snapshot.require_whole();
  EXPECT_TRUE(torch::equal(snapshot.of(blocks[0]), torch::arange(100, torch::kFloat32)));
}

TEST(HostSnapshotTest, ADeviceThatIsLostBeforeTheHostHasAllIsSaid) {
  const Machine machine({.other_memory = MemoryKind::device});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("train");
  const std::vector<torch::Tensor> blocks = two_blocks();
  HostSnapshot snapshot(*device, *stream, blocks, SnapshotRoom::on_device);
  std::promise<void> fetched;
  stream->submit([] { throw DeviceLost({.kind = DeviceKind::cuda}, "gone"); });

  snapshot.fetch([&] { fetched.set_value(); });

  fetched.get_future().wait();
  EXPECT_THROW(snapshot.require_whole(), DeviceLost);
}

}  // namespace
}  // namespace qanat
