// One training per checkpoint folder: two would mix their journals and remove each other's
// checkpoints.
//
// The kernel holds the lock (flock), so that of a process that was killed is free at once. Where
// the file system has no such locks, the process that is named in the file is asked for.
#pragma once

#include <filesystem>

#include "base/files.h"

namespace qanat {

// Owner. The file `training.lock` names the holder, for people and for the other process.
class FolderLock {
 public:
  // `folder` is there. Throws Error naming the holder when there is one.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  // Removes the file.
  ~FolderLock();

 private:
  std::filesystem::path path_;
  UniqueFd fd_;
};

// Whether the process that wrote `text` into a lock file may still run: it does, or it belongs to
// another host, which cannot be checked from here. For file systems without locks.
bool may_be_alive(const std::string& text);

}  // namespace qanat
