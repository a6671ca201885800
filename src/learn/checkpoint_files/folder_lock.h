// One training per checkpoint folder: two would mix their journals and remove each other's
// checkpoints.
//
// The kernel holds the lock (flock), so that of a process that was killed is free at once. Where
// the file system has no such locks, the process that is named in the file is asked for; that of
// another host is alive as long as it touches the file.
#pragma once

#include <filesystem>
#include <string>
#include <thread>

#include "base/files.h"
#include "base/time.h"

namespace qanat {

struct FolderLockOptions {
  enum class Locks { of_kernel, none };  // none: as where the file system has none; for tests

  Locks locks = Locks::of_kernel;
  Seconds heartbeat{30};
  Seconds lost_after{600};  // without one; clocks of hosts may differ by less
};

// Owner. The file `training.lock` names the holder, for people and for the other process.
class FolderLock {
 public:
  // `folder` is there. Throws Error naming the holder when there is one.
  explicit FolderLock(const std::filesystem::path& folder, const FolderLockOptions& options = {});
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  // Removes the file. Waits for the touch of it that is under way, if any.
  ~FolderLock();

 private:
  std::filesystem::path path_;
  UniqueFd fd_;
  std::jthread heartbeat_;  // last: uses the fields above; none where the kernel holds the lock
};

// Whether the process that wrote `text` into a lock file may still run: it does, or it belongs to
// another host and has touched the file since `silence` was `lost_after`. One that says nothing of
// a heartbeat cannot be checked from another host. For file systems without locks.
bool may_be_alive(const std::string& text, Seconds silence, Seconds lost_after);

}  // namespace qanat
