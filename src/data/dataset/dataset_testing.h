// A data set in a folder of its own, for tests; gone with the object.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>

namespace qanat {

class DatasetFolder {
 public:
  DatasetFolder() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name() + "-" +
                       std::to_string(::getpid());
    std::replace(name.begin(), name.end(), '/', '_');
    root_ = std::filesystem::path(testing::TempDir()) / name;
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ / "wavs");
  }
  DatasetFolder(const DatasetFolder&) = delete;
  DatasetFolder& operator=(const DatasetFolder&) = delete;
  ~DatasetFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  const std::filesystem::path& root() const { return root_; }

  void write(std::string_view name, std::string_view bytes) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << bytes;
  }
  // Not audio: nothing here looks inside.
  void add_audio(std::string_view name, std::string_view bytes = "sound") const {
    write(name, bytes);
  }

 private:
  std::filesystem::path root_;
};

}  // namespace qanat
