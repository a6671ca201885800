// Any bytes as a journal: read line by line, turned into traces and diagnosed, in bounded time and
// memory, without ever failing other than by saying why.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/check.h"
#include "diagnose/diagnosis.h"
#include "diagnose/run_summary.h"

namespace {

// One file per process: fuzzers run beside each other.
std::filesystem::path file_path() {
  return std::filesystem::temp_directory_path() / ("fuzz_journal." + std::to_string(::getpid()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::filesystem::path path = file_path();
  {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }
  const qanat::Result<qanat::RunSummary> summary = qanat::read_run_summary(path);
  if (!summary) {
    QANAT_CHECK(!summary.failure().what.empty()) << "refused without a reason";
    return 0;
  }
  QANAT_CHECK(summary.value().slots.size() <= qanat::RunSummary::kMaxSteps) << "not bounded";
  const qanat::Diagnosis diagnosis = qanat::diagnose_run(summary.value());
  QANAT_CHECK(!diagnosis.why.empty()) << "a verdict without a reason";
  return 0;
}
