#include "torch_binding/torch_binding.h"

#include <vector>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "device/out_of_memory.h"

namespace qanat {
namespace {

std::unique_ptr<HostDevice> make_bound_device(int index, Bytes limit) {
  auto device = std::make_unique<HostDevice>(
      HostDeviceOptions{.id = {.kind = DeviceKind::virtual_gpu, .index = index},
                        .cores = {0},
                        .memory_limit = limit});
  bind_torch(*device);
  return device;
}

TEST(TorchBindingTest, ChargesTensorsMadeOnAStreamUntilTheyAreFreed) {
  const auto device = make_bound_device(0, mebibytes(1));
  const auto stream = device->make_stream("s");
  at::Tensor kept;

  stream->submit([&] { kept = at::zeros({1000}); });
  stream->synchronise();

  EXPECT_EQ(device->memory().use().used, Bytes{4000});
  kept.reset();  // on another thread than the one that allocated
  EXPECT_EQ(device->memory().use().used, Bytes{0});
}

TEST(TorchBindingTest, ThrowsTheTypedErrorAtTheBudgetAndLeavesOthersAlone) {
  const auto small = make_bound_device(0, Bytes{1000});
  const auto large = make_bound_device(1, mebibytes(1));
  const auto failing = small->make_stream("f");
  const auto working = large->make_stream("w");

  failing->submit([] { (void)at::zeros({1000}); });
  working->submit([] { (void)at::zeros({1000}); });

  EXPECT_THROW(failing->synchronise(), OutOfMemory);
  EXPECT_NO_THROW(working->synchronise());
  EXPECT_EQ(small->memory().use().used, Bytes{0});
  EXPECT_EQ(large->memory().use().peak, Bytes{4000});
}

TEST(TorchBindingTest, BoundsTheThreadsOfLibtorchToTheCoresOfTheDevice) {
  const auto device = make_bound_device(0, mebibytes(1));
  const auto stream = device->make_stream("s");
  int threads = 0;

  stream->submit([&] { threads = at::get_num_threads(); });
  stream->synchronise();

  EXPECT_EQ(threads, 1);
}

// oneDNN allocates without tensors.
TEST(TorchBindingTest, ConvolvesAndTakesAndGivesBackTheMemoryForIt) {
  const auto device = make_bound_device(0, mebibytes(64));
  const auto stream = device->make_stream("s");
  at::Tensor result;

  stream->submit([&] {
    const at::Tensor kernel = at::ones({32, 32, 1, 5});
    const std::vector<std::int64_t> padding = {0, 2};
    result = at::conv2d(at::ones({2, 32, 1, 200}), kernel, at::Tensor(), 1, padding);
  });
  stream->synchronise();

  EXPECT_FLOAT_EQ(result[0][0][0][100].item<float>(), 32 * 5);
  EXPECT_EQ(device->memory().use().used.value, static_cast<std::int64_t>(result.nbytes()));
  result.reset();
  EXPECT_EQ(device->memory().use().used, Bytes{0});
}

TEST(TorchBindingTest, DoesNotChargeThreadsThatWorkForNoDevice) {
  const auto device = make_bound_device(0, mebibytes(1));

  const at::Tensor tensor = at::zeros({1000});

  EXPECT_EQ(device->memory().use().used, Bytes{0});
}

}  // namespace
}  // namespace qanat
