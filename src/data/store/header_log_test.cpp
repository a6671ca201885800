#include "store/header_log.h"

#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"

namespace qanat {
namespace {

class ReadCounter final : public RandomAccess {
 public:
  explicit ReadCounter(std::string bytes) : bytes_(std::move(bytes)) {}

  Bytes size() const override { return Bytes{std::ssize(bytes_)}; }
  Result<Done> read(Bytes offset, std::span<std::byte> out) const override {
    ++reads;
    return MemoryAccess(std::as_bytes(std::span(bytes_))).read(offset, out);
  }

  mutable int reads = 0;

 private:
  const std::string bytes_;
};

class HeaderLogTest : public ::testing::Test {
 protected:
  std::string read(const RandomAccess& file, std::int64_t offset, std::size_t size) const {
    std::string bytes(size, '?');
    const bool is_read = file.read(Bytes{offset}, std::as_writable_bytes(std::span(bytes))).ok();
    return is_read ? bytes : "";
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "below" / "log.bin";
  const std::shared_ptr<const ReadCounter> file_ =
      std::make_shared<const ReadCounter>("0123456789abcdef");
};

TEST_F(HeaderLogTest, ReadsNothingASecondTime) {
  EXPECT_EQ(read(HeaderLog(file_, path_, 1), 2, 3), "234");

  EXPECT_EQ(read(HeaderLog(file_, path_, 1), 2, 3), "234");
  EXPECT_EQ(file_->reads, 1);
}

TEST_F(HeaderLogTest, AsksForWhatItDoesNotKnow) {
  EXPECT_EQ(read(HeaderLog(file_, path_, 1), 2, 3), "234");

  const HeaderLog second(file_, path_, 1);

  EXPECT_EQ(read(second, 2, 4), "2345");
  EXPECT_EQ(read(second, 2, 3), "234");
  EXPECT_EQ(file_->reads, 2);
}

TEST_F(HeaderLogTest, KeepsNothingOfAnotherVersion) {
  EXPECT_EQ(read(HeaderLog(file_, path_, 1), 2, 3), "234");

  EXPECT_EQ(read(HeaderLog(file_, path_, 2), 2, 3), "234");
  EXPECT_EQ(file_->reads, 2);
}

TEST_F(HeaderLogTest, BelievesNoDamagedFile) {
  EXPECT_EQ(read(HeaderLog(file_, path_, 1), 2, 3), "234");
  std::string bytes = read_text_file(path_).value();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_text_file(path_, bytes);

  EXPECT_EQ(read(HeaderLog(file_, path_, 1), 2, 3), "234");
  EXPECT_EQ(file_->reads, 2);
}

TEST_F(HeaderLogTest, KeepsNoFailure) {
  EXPECT_EQ(read(HeaderLog(file_, path_, 1), 15, 3), "");

  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(HeaderLogTest, GoesOnWithoutADisk) {
  write_text_file(folder_.path() / "file", "");

  EXPECT_EQ(read(HeaderLog(file_, folder_.path() / "file" / "log.bin", 1), 2, 3), "234");
}

}  // namespace
}  // namespace qanat
