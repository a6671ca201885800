#include "torch_binding/passive_waits.h"

#include <algorithm>

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include "base/thread.h"

namespace qanat {
namespace {

// libgomp's entry for `#pragma omp parallel num_threads(threads)`.
using OpenTeam = void (*)(void (*body)(void*), void* context, unsigned threads, unsigned flags);

// Finds the libgomp that libtorch calls. A build of this file with -fopenmp could bring another.
OpenTeam find_open_team() {
  return reinterpret_cast<OpenTeam>(::dlsym(RTLD_DEFAULT, "GOMP_parallel"));
}

// With the team that libtorch has, one thread more than there are cores. A team of all cores would
// do as well, but libgomp ends the program when a limit of threads does not allow one.
unsigned team_size() {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return static_cast<unsigned>(cores + 2 - std::clamp(at::get_num_threads(), 1, cores));
}

}  // namespace

PassiveWaits::PassiveWaits()
    : thread_(
          start_thread("passive-waits", [this](const std::stop_token& stop) { hold_team(stop); })) {
  opened_.wait();
}

// The team belongs to the thread that opened it, and ends with it.
void PassiveWaits::hold_team(const std::stop_token& stop) {
  if (const OpenTeam open_team = find_open_team()) {
    open_team([](void*) {}, nullptr, team_size(), /*flags=*/0);
  }
  opened_.count_down();
  std::unique_lock lock(mutex_);
  woken_.wait(lock, stop, [] { return false; });
}

}  // namespace qanat
