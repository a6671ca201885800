#include "features/npy_writer.h"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

class NpyWriterTest : public testing::Test {
 protected:
  NpyWriterTest() {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        (std::string("qanat_npy_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  NpyWriterTest(const NpyWriterTest&) = delete;
  NpyWriterTest& operator=(const NpyWriterTest&) = delete;
  ~NpyWriterTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(NpyWriterTest, WritesWhatNumpyReads) {
  const std::vector<float> values = {1.0F, -2.5F, 3.0F, 4.0F, 5.0F, 6.0F};

  write_npy(folder_ / "a.npy", values, 2, 3);

  const Result<std::string> bytes = read_text_file(folder_ / "a.npy");
  ASSERT_TRUE(bytes);
  const std::string& file = bytes.value();
  ASSERT_EQ(file.size(), 128 + values.size() * sizeof(float));
  EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(file.substr(8, 2), std::string("\x76\x00", 2));  // 118 to the next multiple of 64
  EXPECT_EQ(file.substr(10, 62), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   ");
  EXPECT_EQ(file[127], '\n');
  EXPECT_EQ(std::memcmp(file.data() + 128, values.data(), values.size() * sizeof(float)), 0);
}

TEST_F(NpyWriterTest, AFolderThatIsNotThereIsAnError) {
  EXPECT_THROW(write_npy(folder_ / "no" / "a.npy", {}, 0, 0), Error);
}

}  // namespace
}  // namespace qanat
