// A folder for temporary files that is gone with the object.
#pragma once

#include <filesystem>

namespace qanat {

// Fixture.
class TemporaryFolder {
 public:
  // Throws Error when there is no place for one.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace qanat
