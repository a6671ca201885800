#include "base/disk_full.h"

#include <cerrno>
#include <condition_variable>
#include <mutex>

namespace qanat {
namespace {

void wait_a_while(const SpaceWait& wait) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, wait.stop, wait.every, [] { return false; });
}

}  // namespace

bool says_disk_full(int error) {
  return error == ENOSPC || error == EDQUOT;
}

void retry_while_full(const SpaceWait& wait, const std::function<void()>& attempt) {
  const Clock::time_point begin = Clock::now();
  bool was_full = false;
  while (true) {
    const bool is_last = wait.stop.stop_requested() || seconds_since(begin) >= wait.timeout;
    try {
      attempt();
      break;
    } catch (const DiskFull& full) {
      if (is_last) {
        throw;
      }
      if (!was_full && wait.on_full) {
        wait.on_full(full);
      }
      was_full = true;
    }
    wait_a_while(wait);
  }
  if (was_full && wait.on_space) {
    wait.on_space(seconds_since(begin));
  }
}

}  // namespace qanat
