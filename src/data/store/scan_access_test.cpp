#include "store/scan_access.h"

#include <string>

#include <gtest/gtest.h>

namespace qanat {
namespace {

// Counts what is asked of it.
class CountedAccess final : public RandomAccess {
 public:
  explicit CountedAccess(std::string bytes) : bytes_(std::move(bytes)) {}

  Bytes size() const override { return Bytes{std::ssize(bytes_)}; }
  Result<Done> read(Bytes offset, std::span<std::byte> out) const override {
    ++requests;
    fetched += std::ssize(out);
    return MemoryAccess(std::as_bytes(std::span(bytes_))).read(offset, out);
  }

  mutable int requests = 0;
  mutable std::int64_t fetched = 0;

 private:
  const std::string bytes_;
};

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(i * 31 + i / 977);
  }
  return bytes;
}

constexpr std::int64_t kMegabyte = 1 << 20;

TEST(ScanAccessTest, MakesFewRequestsOfManyReads) {
  const std::string bytes = pattern(20 * kMegabyte);
  const auto file = std::make_shared<const CountedAccess>(bytes);
  const ScanAccess scan(file);
  std::string block(512, '\0');
  for (std::int64_t at = 0; at + 512 <= 20 * kMegabyte; at += 10'240) {
    ASSERT_TRUE(scan.read(Bytes{at}, std::as_writable_bytes(std::span(block))).ok());
    ASSERT_EQ(block, bytes.substr(static_cast<std::size_t>(at), 512)) << at;
  }

  EXPECT_LE(file->requests, 12);
  EXPECT_LE(file->fetched, 20 * kMegabyte);
}

TEST(ScanAccessTest, SkipsWhatNobodyReads) {
  const auto file = std::make_shared<const CountedAccess>(pattern(64 * kMegabyte));
  const ScanAccess scan(file);
  std::string block(512, '\0');
  for (std::int64_t at = 0; at < 64 * kMegabyte; at += 4 * kMegabyte) {
    ASSERT_TRUE(scan.read(Bytes{at}, std::as_writable_bytes(std::span(block))).ok());
  }

  EXPECT_LE(file->fetched, 2 * kMegabyte);
}

TEST(ScanAccessTest, SkipsNothingThatIsKept) {
  const auto file = std::make_shared<const CountedAccess>(pattern(64 * kMegabyte));
  const ScanAccess scan(file, ScanWindow::kept());
  std::string block(512, '\0');
  for (std::int64_t at = 0; at < 64 * kMegabyte; at += 300'000) {
    ASSERT_TRUE(scan.read(Bytes{at}, std::as_writable_bytes(std::span(block))).ok());
  }

  EXPECT_LE(file->requests, 13);
}

TEST(ScanAccessTest, GivesTheEndAndNoMore) {
  const std::string bytes = pattern(100'000);
  const ScanAccess scan(std::make_shared<const CountedAccess>(bytes));
  std::string tail(1000, '\0');

  ASSERT_TRUE(scan.read(Bytes{99'000}, std::as_writable_bytes(std::span(tail))).ok());
  EXPECT_EQ(tail, bytes.substr(99'000));
  EXPECT_FALSE(scan.read(Bytes{99'001}, std::as_writable_bytes(std::span(tail))).ok());
  EXPECT_FALSE(scan.read(Bytes{-1}, std::as_writable_bytes(std::span(tail))).ok());
}

TEST(ScanAccessTest, ReadsWhatIsLargerThanItsWindow) {
  const std::string bytes = pattern(3 * kMegabyte);
  const ScanAccess scan(std::make_shared<const CountedAccess>(bytes));
  std::string all(bytes.size(), '\0');

  ASSERT_TRUE(scan.read(Bytes{0}, std::as_writable_bytes(std::span(all))).ok());
  EXPECT_EQ(all, bytes);
}

}  // namespace
}  // namespace qanat
