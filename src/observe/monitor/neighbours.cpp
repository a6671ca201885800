#include "monitor/neighbours.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "monitor/kernel_files.h"

namespace qanat {
namespace {

std::vector<int> permitted_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) {
    return cores;
  }
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) {
      cores.push_back(core);
    }
  }
  return cores;
}

Seconds cpu_time_of(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return Seconds(seconds(usage.ru_utime) + seconds(usage.ru_stime));
}

// Children count once they have ended.
Seconds own_cpu_time() {
  return process_cpu_time() + cpu_time_of(RUSAGE_CHILDREN);
}

}  // namespace

Reading<Neighbours> measure_neighbours(const HostCounters& before,
                                       const HostCounters& after,
                                       Seconds between,
                                       const Reading<double>& cores) {
  for (const Reading<double>* reading : {&before.machine_busy,
                                         &after.machine_busy,
                                         &before.process_cpu,
                                         &after.process_cpu,
                                         &before.machine_stolen,
                                         &after.machine_stolen,
                                         &cores}) {
    if (!*reading) {
      return Reading<Neighbours>::none(reading->why_not());
    }
  }
  if (between <= Seconds{0}) {
    return Reading<Neighbours>::none("no time passed between two samples");
  }
  const auto grown = [&](Reading<double> HostCounters::*counter) {
    return std::max(0.0, *(after.*counter) - *(before.*counter)) / between.count();
  };
  return Neighbours{
      .others =
          std::max(0.0, grown(&HostCounters::machine_busy) - grown(&HostCounters::process_cpu)),
      .stolen = grown(&HostCounters::machine_stolen),
      .cores = std::max(*cores, 1.0)};
}

std::optional<double> busy_seconds(std::string_view stat, std::span<const int> cores) {
  // "cpu0 user nice system idle iowait irq softirq steal guest guest_nice"; guests are in user.
  constexpr std::size_t kPlaces[] = {0, 1, 2, 5, 6, 7};
  const long ticks = ::sysconf(_SC_CLK_TCK);
  const double tick = ticks > 0 ? 1.0 / static_cast<double>(ticks) : 0.01;
  double total = 0;
  for (const int core : cores) {
    const auto line = value_after(stat, fmt::format("cpu{} ", core));
    const std::vector<std::string_view> all = line ? words(*line) : std::vector<std::string_view>();
    for (const std::size_t place : kPlaces) {
      const auto value = place < all.size() ? to_integer(all[place]) : std::nullopt;
      if (!value) {
        return std::nullopt;
      }
      total += tick * static_cast<double>(*value);
    }
  }
  return total;
}

NeighbourWatch::NeighbourWatch(std::filesystem::path root)
    : root_(std::move(root)),
      cores_(permitted_cores()),
      begin_(Clock::now()),
      busy_(busy_now()),
      own_(own_cpu_time()) {}

std::optional<double> NeighbourWatch::busy_now() const {
  const std::optional<std::string> stat = read_kernel_file(root_ / "proc/stat");
  return stat ? busy_seconds(*stat, cores_) : std::nullopt;
}

std::optional<double> NeighbourWatch::others(Seconds children) const {
  const std::optional<double> now = busy_now();
  const double wall = seconds_since(begin_).count();
  if (!busy_ || !now || cores_.empty() || wall <= 0) {
    return std::nullopt;
  }
  const double own = (own_cpu_time() - own_ + children).count();
  return std::max(0.0, *now - *busy_ - own) / wall;
}

std::optional<double> NeighbourWatch::others_share(Seconds children) const {
  const std::optional<double> cores = others(children);
  return cores ? std::optional(*cores / static_cast<double>(cores_.size())) : std::nullopt;
}

Seconds process_cpu_time() {
  return cpu_time_of(RUSAGE_SELF);
}

}  // namespace qanat
