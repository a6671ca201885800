#include "cuda_runtime/nvrtc.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>

#include "cuda_runtime/open_cuda_runtime.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

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
    const Result<std::string> compiled =
        nvrtc_->compile(alignment_kernel_source(), "alignment.cu", architecture);
    ASSERT_TRUE(compiled) << compiled.failure().what;
    EXPECT_THAT(compiled.value(),
                StartsWith("\x7f"
                           "ELF"));  // machine code
    EXPECT_THAT(compiled.value(), HasSubstr(".text.forward_sum"));
    EXPECT_THAT(compiled.value(), HasSubstr(".text.search_durations"));
  }
}

// Its driver is as new as the GPU, so newer than the compiler, and takes PTX of that one.
TEST_F(NvrtcTest, CompilesForAGenerationThatItDoesNotKnow) {
  const int newest = nvrtc_->architectures().back();

  const Result<std::string> compiled =
      nvrtc_->compile(alignment_kernel_source(), "alignment.cu", newest + 40);

  ASSERT_TRUE(compiled) << compiled.failure().what;
  EXPECT_THAT(compiled.value(), HasSubstr(".entry forward_sum"));
  EXPECT_THAT(compiled.value(), HasSubstr(".entry search_durations"));
  EXPECT_THAT(compiled.value(), HasSubstr("bar.sync"));
  EXPECT_THAT(compiled.value(), HasSubstr(".maxntid"));  // 1024 threads have registers enough
}

TEST_F(NvrtcTest, ANewerGpuRunsWhatWasCompiledForTheOneBefore) {
  const int newest = nvrtc_->architectures().back();

  EXPECT_EQ(nvrtc_->architecture_for(newest + 7), newest);
  EXPECT_EQ(nvrtc_->architecture_for(newest), newest);
  EXPECT_EQ(nvrtc_->architecture_for(nvrtc_->architectures().front() - 1), 0);
}

TEST_F(NvrtcTest, WhatTheCompilerSaysIsPassedOn) {
  const Result<std::string> compiled =
      nvrtc_->compile("__global__ void broken() { no_such_name; }", "broken.cu", 80);

  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.failure().what, HasSubstr("no_such_name"));
}

// As pip lays torch and NVIDIA's packages out, and as libtorch's archive does.
TEST(NvrtcLibraryTest, IsFoundBesideLibtorch) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(testing::TempDir()) / "nvrtc_beside";
  fs::remove_all(root);
  const fs::path torch = root / "torch/lib/libtorch_cuda.so";
  const fs::path own = root / "torch/lib/libnvrtc-0a1b2c.so.12";
  const fs::path old = root / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
  const fs::path newer = root / "nvidia/cu13/lib/libnvrtc.so.13";
  for (const fs::path& file : {torch,
                               own,
                               old,
                               newer,
                               root / "torch/lib/libnvrtc-builtins.so.12.9",
                               root / "nvidia/cublas/lib/libcublas.so.12"}) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "library";
  }

  EXPECT_THAT(nvrtc_files_beside({torch}), ElementsAre(newer, own, old));
  EXPECT_THAT(nvrtc_files_beside({root / "nowhere/lib/libtorch_cuda.so"}), ElementsAre());
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
