// Without a GPU there is nothing to trace, but libtorch's profiler begins, ends and writes.
#include "cuda_runtime/torch_cuda_trace.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace qanat {
namespace {

TEST(CudaTraceTest, WritesATraceWhenItEnds) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "cuda_trace.json";
  std::optional<CudaTrace> trace(path.string());
  EXPECT_FALSE(std::filesystem::exists(path));

  trace.reset();

  std::ifstream file(path);
  const nlohmann::json written = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(written.contains("traceEvents")) << path;
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace qanat
