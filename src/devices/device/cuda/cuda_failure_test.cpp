#include "device/cuda/cuda_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/cuda/cuda_core.h"
#include "device/device_lost.h"
#include "device/out_of_memory.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr CudaVersions kFine{.driver = 13020, .runtime = 13020};
constexpr DeviceId kGpu{.kind = DeviceKind::cuda, .index = 1};

std::string explained(int code, const CudaVersions& versions) {
  return Translator().tr(explain_no_cuda(CudaFailure(code, "words of CUDA"), versions));
}

std::string message(int code) {
  try {
    std::rethrow_exception(to_error(CudaFailure(code, "words of CUDA"), kGpu, {}));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(CudaFailureTest, TellsAMissingDriverFromAnOldOneThoughCudaCallsBothTheSame) {
  EXPECT_EQ(fault_of(35, {.driver = 0, .runtime = 13020}), CudaFault::no_driver);
  EXPECT_EQ(fault_of(35, {.driver = 12020, .runtime = 13020}), CudaFault::driver_too_old);
}

TEST(CudaFailureTest, SaysWhatToDoWithoutADriver) {
  EXPECT_THAT(explained(35, {.driver = 0, .runtime = 13020}),
              AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("nvidia-smi")));
}

TEST(CudaFailureTest, NamesBothVersionsWhenTheDriverIsTooOld) {
  EXPECT_THAT(explained(35, {.driver = 12020, .runtime = 13020}),
              AllOf(HasSubstr("CUDA 12.2"), HasSubstr("expected 13.2 or newer")));
}

TEST(CudaFailureTest, SaysThatTheDriverIsTheWrongOne) {
  for (const int code : {cuda_code::kDriverMismatch, cuda_code::kStubLibrary}) {
    EXPECT_THAT(explained(code, kFine), AllOf(HasSubstr("words of CUDA"), HasSubstr("reboot")));
  }
}

TEST(CudaFailureTest, SaysThatNoGpuIsVisible) {
  EXPECT_THAT(explained(cuda_code::kNoDevice, kFine), HasSubstr("CUDA_VISIBLE_DEVICES"));
}

class LostTest : public testing::TestWithParam<int> {};

TEST_P(LostTest, IsALostDeviceInTheMiddleOfARun) {
  EXPECT_THROW(std::rethrow_exception(to_error(CudaFailure(GetParam(), "x"), kGpu, {})),
               DeviceLost);
}

INSTANTIATE_TEST_SUITE_P(Codes,
                         LostTest,
                         testing::Values(cuda_code::kDevicesUnavailable,
                                         cuda_code::kNoDevice,
                                         cuda_code::kMemoryError,
                                         cuda_code::kLinkError,
                                         cuda_code::kContained,
                                         cuda_code::kUnknown));

TEST(CudaFailureTest, NamesTheGpuAndTheCheckpointWhenOneIsLost) {
  EXPECT_THAT(
      message(999),
      AllOf(HasSubstr("cuda:1"), HasSubstr("Xid"), HasSubstr("--resume"), HasSubstr("999")));
}

TEST(CudaFailureTest, SaysHowToFindTheOperationThatFailed) {
  EXPECT_THAT(message(700), HasSubstr("CUDA_LAUNCH_BLOCKING=1"));
}

TEST(CudaFailureTest, KeepsTheFiguresOfMemory) {
  try {
    std::rethrow_exception(
        to_error(CudaFailure(2, "x"), kGpu, {.used = Bytes{3}, .limit = Bytes{5}}));
  } catch (const OutOfMemory& error) {
    EXPECT_FALSE(error.asked());
    EXPECT_EQ(error.used(), Bytes{3});
    EXPECT_EQ(error.limit(), Bytes{5});
  }
}

TEST(IntervalUnionTest, CountsTimeOnceWhateverTheOrder) {
  const Clock::time_point start;
  const auto at = [&](int ms) { return start + std::chrono::milliseconds(ms); };
  IntervalUnion busy;

  busy.add(at(10), at(20));
  busy.add(at(30), at(40));
  busy.add(at(15), at(35));
  busy.add(at(0), at(5));
  busy.add(at(1), at(2));
  busy.add(at(7), at(7));

  EXPECT_NEAR(busy.total().count(), 0.035, 1e-9);
}

}  // namespace
}  // namespace qanat
