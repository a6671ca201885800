#include "cuda_runtime/nvrtc.h"

#include <gmock/gmock.h>

#include "cuda_runtime/open_cuda_runtime.h"

namespace qanat {
namespace {

using testing::HasSubstr;

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Nvrtc::open();
    if (!opened) {
      // A program for GPUs comes with one.
      ASSERT_EQ(make_built_in_cuda_runtime(), nullptr) << opened.failure().what;
      GTEST_SKIP() << opened.failure().what;
    }
    nvrtc_ = opened.value();
  }

  std::shared_ptr<const Nvrtc> nvrtc_;
};

TEST_F(NvrtcTest, CompilesTheKernelsForEveryGpuItKnows) {
  ASSERT_FALSE(nvrtc_->architectures().empty());
  // ./dev cuda-build asks two of them; the older one knows those before.
  EXPECT_LE(nvrtc_->architectures().front(), 75);
  for (const int architecture : nvrtc_->architectures()) {
    SCOPED_TRACE(architecture);
    const Result<std::string> ptx =
        nvrtc_->to_ptx(alignment_kernel_source(), "alignment.cu", architecture);
    ASSERT_TRUE(ptx) << ptx.failure().what;
    EXPECT_THAT(ptx.value(), HasSubstr(".entry forward_sum"));
    EXPECT_THAT(ptx.value(), HasSubstr(".entry search_durations"));
    EXPECT_THAT(ptx.value(), HasSubstr("bar.sync"));
  }
}

TEST_F(NvrtcTest, ANewerGpuRunsWhatWasCompiledForTheOneBefore) {
  const int newest = nvrtc_->architectures().back();

  EXPECT_EQ(nvrtc_->architecture_for(newest + 7), newest);
  EXPECT_EQ(nvrtc_->architecture_for(newest), newest);
  EXPECT_EQ(nvrtc_->architecture_for(nvrtc_->architectures().front() - 1), 0);
}

TEST_F(NvrtcTest, WhatTheCompilerSaysIsPassedOn) {
  const Result<std::string> ptx =
      nvrtc_->to_ptx("__global__ void broken() { no_such_name; }", "broken.cu", 80);

  ASSERT_FALSE(ptx);
  EXPECT_THAT(ptx.failure().what, HasSubstr("no_such_name"));
}

TEST(NvrtcLibraryTest, ALibraryThatIsNotThereIsNamed) {
  ::setenv("QANAT_NVRTC", "/nowhere/libnvrtc.so", 1);
  const auto opened = Nvrtc::open();
  ::unsetenv("QANAT_NVRTC");

  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.failure().what, HasSubstr("/nowhere/libnvrtc.so"));
}

TEST(NvrtcLibraryTest, ALibraryThatIsSomethingElseIsRefused) {
  ::setenv("QANAT_NVRTC", "libm.so.6", 1);
  const auto opened = Nvrtc::open();
  ::unsetenv("QANAT_NVRTC");

  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.failure().what, HasSubstr("libm.so.6"));
}

}  // namespace
}  // namespace qanat
