// How far NCCL goes without a GPU: it is linked, and asks for one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/cuda.h>

#include "replicas/backend.h"

namespace qanat {
namespace {

TEST(NcclBackendTest, WithoutAGpuItSaysThatItNeedsOne) {
  if (!has_nccl() || torch::cuda::is_available()) {
    GTEST_SKIP() << "a build without NCCL, or a machine with GPUs";
  }
  const BackendOptions options{.place = {.rank = 0, .world = 2},
                               .store = c10::make_intrusive<c10d::HashStore>(),
                               .name = "data"};

  try {
    (void)make_nccl(options);
    FAIL() << "NCCL without a GPU";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("GPU"));
  }
}

}  // namespace
}  // namespace qanat
