// What kind of file system a folder lies on, as the kernel names it.
#pragma once

#include <filesystem>
#include <string>

#include "monitor/reading.h"

namespace qanat {

enum class FileSystemClass { local, network, overlay, memory };

struct FileSystem {
  std::string kind;  // "ext4", "nfs4", "overlay", "tmpfs"
  std::filesystem::path mounted_at;

  bool operator==(const FileSystem&) const = default;
};

// `folder` need not exist; what it would lie on counts. Mounts are read below `root`.
Reading<FileSystem> find_file_system(const std::filesystem::path& root,
                                     const std::filesystem::path& folder);

FileSystemClass classify_file_system(std::string_view kind);

}  // namespace qanat
