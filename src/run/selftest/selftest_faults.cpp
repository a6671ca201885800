#include "selftest/selftest_faults.h"

#include <initializer_list>
#include <utility>

#include <fmt/format.h>

namespace qanat {
namespace {

using namespace std::chrono_literals;

// A fault at its strengths; the middle one is the quick one.
template <typename Make>
void add_strengths(std::vector<InjectedFault>& faults,
                   SelftestSize size,
                   std::initializer_list<double> strengths,
                   Make&& make) {
  const std::vector<double> all(strengths);
  if (size == SelftestSize::quick) {
    faults.push_back(make(all[all.size() / 2]));
    return;
  }
  for (const double strength : all) {
    faults.push_back(make(strength));
  }
}

Seconds milliseconds(double count) {
  return Seconds(count * 1e-3);
}

InjectedFault slow_storage(double ms) {
  return {.name = "slow storage",
          .strength = fmt::format("{} ms per file", ms),
          .expected = {"DL001", "IO001", "IO002"},
          .run = {.sets = {"data.num_workers=2"}, .rows = {.read = milliseconds(ms)}},
          .remedy = Remedy::apply_fix};
}

InjectedFault slow_decode(double ms) {
  return {.name = "CPU-bound decode",
          .strength = fmt::format("{} ms per file", ms),
          .expected = {"DL003"},
          .run = {.sets = {"data.num_workers=2"}, .rows = {.compute = milliseconds(ms)}},
          .remedy = Remedy::remove_fault};
}

InjectedFault few_workers(double ms) {
  return {.name = "too few workers",
          .strength = fmt::format("1 of them, {} ms per file", ms),
          .expected = {"DL002"},
          .run = {.sets = {"data.num_workers=1"}, .rows = {.compute = milliseconds(ms)}},
          .remedy = Remedy::apply_fix};
}

InjectedFault small_buffer(double ms) {
  return {.name = "too small buffer",
          .strength = fmt::format("2 batches, bursts of {} ms", ms),
          .expected = {"DL005"},
          .run = {.sets = {"data.num_workers=4",
                           "data.pipeline_buffer_size=2",
                           "data.prefetch_buffer_size=2"},
                  .rows = {.burst = 64, .burst_read = milliseconds(ms)},
                  .steps = 500},
          .remedy = Remedy::apply_fix};
}

InjectedFault lock_convoy(double ms) {
  return {.name = "lock convoy",
          .strength = fmt::format("{} ms per file", ms),
          .expected = {"DL004"},
          .run = {.sets = {"data.num_workers=4"}, .rows = {.locked = milliseconds(ms)}},
          .remedy = Remedy::remove_fault};
}

InjectedFault slow_file(double ms) {
  return {.name = "one slow file in 24",
          .strength = fmt::format("{} ms", ms),
          .expected = {"DL011"},
          .run = {.sets = {"data.num_workers=2", "data.pipeline_buffer_size=6"},
                  .rows = {.slow_every = 24, .slow = milliseconds(ms)}},
          .remedy = Remedy::remove_fault};
}

InjectedFault checkpoint_stall(double ms) {
  return {.name = "checkpoint stall",
          .strength = fmt::format("{} ms every 25 steps", ms),
          .expected = {"PER001", "CMP007"},
          .run = {.sets = {"training.save_every=25"},
                  .stalls = {.save = milliseconds(ms)},
                  .steps = 400},
          .remedy = Remedy::apply_fix};
}

InjectedFault log_stall(double ms) {
  return {
      .name = "log stall",
      .strength = fmt::format("{} ms every 10 steps", ms),
      .expected = {"PER001"},
      .run = {.sets = {"training.log_every=10"}, .stalls = {.log = milliseconds(ms)}, .steps = 400},
      .remedy = Remedy::apply_fix};
}

InjectedFault oversubscription(double threads) {
  return {.name = "oversubscription",
          .strength = fmt::format("{} threads more", threads),
          .expected = {"DL006", "HOST004"},
          .run = {.sets = {"data.num_workers=2"},
                  .rows = {.compute = milliseconds(1)},
                  .spinning_threads = static_cast<int>(threads)},
          .remedy = Remedy::remove_fault};
}

InjectedFault noisy_neighbour(double processes) {
  return {.name = "noisy neighbour",
          .strength = fmt::format("{} processes", processes),
          .expected = {"HOST005", "DL013"},
          .run = {.sets = {"data.num_workers=2"},
                  .rows = {.compute = milliseconds(1)},
                  .spinning_processes = static_cast<int>(processes)},
          .remedy = Remedy::remove_fault};
}

InjectedFault slow_link(double megabytes) {
  return {.name = "slow link",
          .strength = fmt::format("{} MB/s", megabytes),
          .expected = {"MG003"},
          .run = {.link = {.bytes_per_second = 1e6 * megabytes}},
          .remedy = Remedy::remove_fault};
}

InjectedFault padding(double edges) {
  return {.name = "padding waste",
          .strength = fmt::format("{} shape{}", edges, edges == 1 ? "" : "s"),
          .expected = {"DL007"},
          .run = {.sets = {fmt::format("pipeline.bucket_edges={}", edges)}},
          .remedy = Remedy::apply_fix};
}

InjectedFault memory_pressure(double pages) {
  return {.name = "memory pressure",
          .strength = fmt::format("{} pages per file", pages),
          .expected = {"HOST007", "HOST003", "DL013"},
          .run = {.sets = {"data.num_workers=2"},
                  .rows = {.read = milliseconds(2), .pages = static_cast<int>(pages)}},
          .remedy = Remedy::remove_fault};
}

// The counters of a group whose quota is used up in three periods of five.
void pretend_throttling(RunSummary& summary) {
  HostSummary host;
  host.setup.cpu_quota = 1.0;
  host.setup.online_cores = 2.0;
  host.last_at = summary.pipeline ? summary.pipeline->age.count() : 1;
  host.samples = 2;
  host.first.periods = 0.0;
  host.first.throttled_periods = 0.0;
  host.first.throttled = 0.0;
  host.last.periods = 10 * host.last_at;
  host.last.throttled_periods = 6 * host.last_at;
  host.last.throttled = 0.5 * host.last_at;
  summary.host = host;
}

InjectedFault small_quota(double percent) {
  return {.name = "processor quota",
          .strength = fmt::format("{} % of the time", percent),
          .expected = {"HOST002", "HOST001", "DL013"},
          .run = {.sets = {"data.num_workers=2"},
                  .rows = {.compute = milliseconds(1), .quota = percent / 100}},
          .remedy = Remedy::remove_fault,
          .pretend = pretend_throttling};
}

InjectedFault healthy(std::string what, FaultyRun run) {
  return {.name = "healthy", .strength = std::move(what), .run = std::move(run)};
}

void add_healthy(std::vector<InjectedFault>& faults, int seed) {
  const std::string seeded = fmt::format("training.seed={}", seed);
  faults.push_back(healthy(fmt::format("short, seed {}", seed), {.sets = {seeded}, .steps = 80}));
  faults.push_back(healthy(fmt::format("long, seed {}", seed), {.sets = {seeded}, .steps = 700}));
  faults.push_back(healthy(fmt::format("any length, seed {}", seed),
                           {.sets = {seeded, "data.enable_static_shapes=false"}}));
  faults.push_back(healthy(fmt::format("longer and longer, seed {}", seed),
                           {.sets = {seeded, "pipeline.shuffle=false"}}));
  faults.push_back(healthy(fmt::format("slower by 3 %, seed {}", seed),
                           {.sets = {seeded}, .cost = {.drift = 0.03}}));
  faults.push_back(healthy(fmt::format("unsteady by 5 %, seed {}", seed),
                           {.sets = {seeded}, .cost = {.noise = 0.05}}));
}

}  // namespace

std::vector<InjectedFault> injected_faults(SelftestSize size) {
  std::vector<InjectedFault> faults;
  add_strengths(faults, size, {2.5, 3, 5}, slow_storage);
  add_strengths(faults, size, {2.5, 3, 5}, slow_decode);
  add_strengths(faults, size, {1.0, 1.2, 1.4}, few_workers);
  add_strengths(faults, size, {5, 5.5, 6}, small_buffer);
  add_strengths(faults, size, {1.5, 2, 3}, lock_convoy);
  add_strengths(faults, size, {80, 150, 300}, slow_file);
  add_strengths(faults, size, {80, 120, 200}, checkpoint_stall);
  add_strengths(faults, size, {50, 80, 120}, log_stall);
  add_strengths(faults, size, {4, 6, 8}, oversubscription);
  add_strengths(faults, size, {4, 6, 8}, noisy_neighbour);
  add_strengths(faults, size, {26, 20, 12}, slow_link);
  add_strengths(faults, size, {2, 1}, padding);
  add_strengths(faults, size, {8, 16, 32}, memory_pressure);
  add_strengths(faults, size, {40, 30, 20}, small_quota);
  for (int seed = 1; seed <= (size == SelftestSize::quick ? 1 : 4); ++seed) {
    add_healthy(faults, seed);
  }
  return faults;
}

FaultyRun without_fault(const FaultyRun& run) {
  return {.sets = run.sets, .cost = run.cost, .steps = run.steps};
}

}  // namespace qanat
