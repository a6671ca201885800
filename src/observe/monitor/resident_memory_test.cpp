#include "monitor/resident_memory.h"

#include <cstring>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace qanat {
namespace {

constexpr std::size_t kMuch = 64 << 20;

TEST(ResidentMemoryTest, ThePeakIsAtLeastWhatWasTouched) {
  const std::vector<char> touched(kMuch, 'x');

  const std::optional<Bytes> peak = peak_resident_memory();

  ASSERT_TRUE(peak.has_value());
  EXPECT_GT(*peak, Bytes{static_cast<std::int64_t>(touched.size())});
}

TEST(ResidentMemoryTest, APeakThatIsOverIsForgotten) {
  if (!std::ofstream("/proc/self/clear_refs")) {
    GTEST_SKIP() << "the kernel does not let this process write /proc/self/clear_refs";
  }
  // Not of the heap: a sanitizer keeps what is freed there.
  void* const touched =
      ::mmap(nullptr, kMuch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(touched, MAP_FAILED);
  std::memset(touched, 'x', kMuch);
  ::munmap(touched, kMuch);
  const std::optional<Bytes> before = peak_resident_memory();

  restart_peak_memory();

  ASSERT_TRUE(before.has_value());
  EXPECT_LT(peak_resident_memory()->value, before->value - static_cast<std::int64_t>(kMuch) / 2);
}

}  // namespace
}  // namespace qanat
