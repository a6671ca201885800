#include "monitor/host_counters.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <unistd.h>

#include "monitor/cgroup.h"
#include "monitor/host_facts.h"
#include "monitor/kernel_files.h"
#include "monitor/reading.h"
#include "monitor/reading_json.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr double kNanosecond = 1e-9;

// "load-12", "train/0" and "precompute 3" without the number.
std::string group_of(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == name.size()) {
    return std::string(name);
  }
  const std::size_t end = name.find_last_not_of("-_ #:/", digits);
  return std::string(name.substr(0, end == std::string_view::npos ? digits + 1 : end + 1));
}

// "running waiting slices", the first two in nanoseconds.
bool add_clock(const fs::path& task, std::map<std::string, ThreadClock>& groups) {
  const std::optional<std::string> text = read_kernel_file(task / "schedstat");
  if (!text) {
    return false;
  }
  const std::vector<std::string_view> fields = words(*text);
  const auto running = fields.size() < 2 ? std::nullopt : to_integer(fields[0]);
  const auto waiting = fields.size() < 2 ? std::nullopt : to_integer(fields[1]);
  if (!running || !waiting) {
    return false;
  }
  const std::string comm = read_kernel_file(task / "comm").value_or("unnamed");
  ThreadClock& clock = groups[group_of(trimmed(comm))];
  ++clock.threads;
  clock.running += static_cast<double>(*running) * kNanosecond;
  clock.waiting += static_cast<double>(*waiting) * kNanosecond;
  return true;
}

}  // namespace

Reading<std::vector<ThreadClock>> read_thread_clocks(const std::filesystem::path& root) {
  const fs::path folder = root / "proc/self/task";
  std::error_code error;
  fs::directory_iterator tasks(folder, error);
  if (error) {
    return Reading<std::vector<ThreadClock>>::none(folder.string() + ": " + error.message());
  }
  std::map<std::string, ThreadClock> groups;
  // A thread may end while it is being read: then it is skipped.
  for (; !error && tasks != fs::directory_iterator(); tasks.increment(error)) {
    add_clock(tasks->path(), groups);
  }
  if (groups.empty()) {
    return Reading<std::vector<ThreadClock>>::none(
        "no thread has a schedstat; the kernel was built without it");
  }
  std::vector<ThreadClock> clocks;
  for (auto& [name, clock] : groups) {
    clock.name = name;
    clocks.push_back(std::move(clock));
  }
  return clocks;
}

namespace {

// Pressure stall information: for how long tasks waited for the processor, for storage and for
// memory. Totals since boot; two of them make a share of the time between.
struct Pressure {
  double some = 0;  // s in which at least one task waited
  double full = 0;  // s in which all of them waited

  bool operator==(const Pressure&) const = default;
};

struct PressureTotals {
  Reading<Pressure> cpu;  // `full` has no meaning for the machine as a whole
  Reading<Pressure> io;
  Reading<Pressure> memory;
};

// The total of "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds.
std::optional<double> total_of(std::string_view text, std::string_view kind) {
  const std::optional<std::string_view> line = value_after(text, kind);
  const std::size_t at = line ? line->find("total=") : std::string_view::npos;
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> micro = to_integer(line->substr(at + 6));
  return micro && *micro >= 0 ? std::optional(static_cast<double>(*micro) / 1e6) : std::nullopt;
}

Reading<Pressure> read_pressure_file(const fs::path& path) {
  const Result<std::string> text = read_kernel_text(path);
  if (!text) {
    return Reading<Pressure>::none(text.failure().what);
  }
  const std::optional<double> some = total_of(text.value(), "some ");
  if (!some) {
    return Reading<Pressure>::none(fmt::format("{}: not as the kernel writes it", path.string()));
  }
  // Old kernels have no line `full` for the processor.
  return Pressure{.some = *some, .full = total_of(text.value(), "full ").value_or(0)};
}

PressureTotals read_machine_pressure(const fs::path& root) {
  const fs::path folder = root / "proc/pressure";
  return {.cpu = read_pressure_file(folder / "cpu"),
          .io = read_pressure_file(folder / "io"),
          .memory = read_pressure_file(folder / "memory")};
}

// Reads the control group of this process; version 2 only.
PressureTotals read_group_pressure(const fs::path& root) {
  const std::vector<fs::path> folders = unified_folders(root);
  if (folders.empty()) {
    const auto none = Reading<Pressure>::none("no control group of version 2 is mounted");
    return {.cpu = none, .io = none, .memory = none};
  }
  const fs::path& own = folders.back();
  return {.cpu = read_pressure_file(own / "cpu.pressure"),
          .io = read_pressure_file(own / "io.pressure"),
          .memory = read_pressure_file(own / "memory.pressure")};
}

using Number = Reading<double>;

double tick_seconds() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? 1.0 / static_cast<double>(ticks) : 0.01;
}

// A file that is read once for several numbers.
class KernelText {
 public:
  explicit KernelText(fs::path path) : path_(std::move(path)), text_(read_kernel_text(path_)) {}

  Number after(std::string_view key, double unit = 1) const {
    return parse(
        [&](std::string_view text) {
          const std::optional<std::string_view> value = value_after(text, key);
          return value ? to_integer(*value) : std::nullopt;
        },
        unit);
  }
  // Word number `at` behind the last `)`: the name of a process may hold anything.
  Number word_behind_name(std::size_t at, double unit) const {
    return parse(
        [&](std::string_view text) {
          return word(text.substr(std::min(text.size(), text.rfind(')') + 1)), at);
        },
        unit);
  }
  // The sum of words of the first line that starts with `key`.
  Number sum(std::string_view key, std::initializer_list<std::size_t> at, double unit) const {
    return parse(
        [&](std::string_view text) -> std::optional<std::int64_t> {
          const std::optional<std::string_view> line = value_after(text, key);
          std::int64_t total = 0;
          for (const std::size_t place : at) {
            const std::optional<std::int64_t> value = line ? word(*line, place) : std::nullopt;
            if (!value) {
              return std::nullopt;
            }
            total += *value;
          }
          return total;
        },
        unit);
  }

 private:
  static std::optional<std::int64_t> word(std::string_view text, std::size_t at) {
    const std::vector<std::string_view> all = words(text);
    return at < all.size() ? to_integer(all[at]) : std::nullopt;
  }
  Number parse(const std::function<std::optional<std::int64_t>(std::string_view)>& find,
               double unit) const {
    if (!text_) {
      return Number::none(text_.failure().what);
    }
    const std::optional<std::int64_t> value = find(text_.value());
    return value ? Number(static_cast<double>(*value) * unit) : Number::none(malformed(path_));
  }

  fs::path path_;
  Result<std::string> text_;
};

Number some_of(const Reading<Pressure>& pressure) {
  return pressure ? Number((*pressure).some) : Number::none(pressure.why_not());
}

Number full_of(const Reading<Pressure>& pressure) {
  return pressure ? Number((*pressure).full) : Number::none(pressure.why_not());
}

void read_groups(const fs::path& root, HostCounters& counters) {
  const Reading<CpuThrottling> throttling = read_cpu_throttling(root);
  const auto of = [&throttling](double CpuThrottling::*member) {
    return throttling ? Number((*throttling).*member) : Number::none(throttling.why_not());
  };
  counters.periods = of(&CpuThrottling::periods);
  counters.throttled_periods = of(&CpuThrottling::throttled);
  counters.throttled = of(&CpuThrottling::seconds);
  const PressureTotals machine = read_machine_pressure(root);
  counters.cpu_some = some_of(machine.cpu);
  counters.io_some = some_of(machine.io);
  counters.io_full = full_of(machine.io);
  counters.memory_some = some_of(machine.memory);
  counters.memory_full = full_of(machine.memory);
  const PressureTotals group = read_group_pressure(root);
  counters.group_cpu_some = some_of(group.cpu);
  counters.group_io_full = full_of(group.io);
  counters.group_memory_full = full_of(group.memory);
}

void read_machine(const fs::path& root, HostCounters& counters) {
  const double page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const KernelText vmstat(root / "proc/vmstat");
  counters.swapped_in = vmstat.after("pswpin ", page);
  counters.swapped_out = vmstat.after("pswpout ", page);
  // "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; guests are in user.
  const KernelText stat(root / "proc/stat");
  counters.machine_busy = stat.sum("cpu ", {0, 1, 2, 5, 6}, tick_seconds());
  counters.machine_stolen = stat.sum("cpu ", {7}, tick_seconds());
}

void read_process(const fs::path& root, HostCounters& counters) {
  const KernelText stat(root / "proc/self/stat");
  counters.major_faults = stat.word_behind_name(9, 1);
  const Number user = stat.word_behind_name(11, tick_seconds());
  const Number system = stat.word_behind_name(12, tick_seconds());
  counters.process_cpu = user && system ? Number(*user + *system) : user ? system : user;
  const KernelText io(root / "proc/self/io");
  counters.read_bytes = io.after("rchar: ");
  counters.storage_bytes = io.after("read_bytes: ");
  counters.threads = read_thread_clocks(root);
}

bool is_share_of_time(const nlohmann::json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0;
}

Reading<std::vector<ThreadClock>> read_threads(const nlohmann::json& object) {
  using Threads = Reading<std::vector<ThreadClock>>;
  const auto listed = object.find("threads");
  if (listed == object.end() || !listed->is_object()) {
    return Threads::none(read_reason(object, "threads"));
  }
  std::vector<ThreadClock> clocks;
  for (const auto& [name, clock] : listed->items()) {
    if (!clock.is_array() || clock.size() != 3 || !clock[0].is_number_integer() ||
        !is_share_of_time(clock[1]) || !is_share_of_time(clock[2])) {
      return Threads::none("the journal does not say it as expected");
    }
    clocks.push_back({.name = name,
                      .threads = clock[0].get<int>(),
                      .running = clock[1].get<double>(),
                      .waiting = clock[2].get<double>()});
  }
  return clocks;
}

}  // namespace

HostCounters read_host_counters(const fs::path& root) {
  HostCounters counters;
  read_groups(root, counters);
  read_machine(root, counters);
  read_process(root, counters);
  const std::optional<Bytes> free = free_memory(read_host_facts(root));
  counters.free_memory = free ? Number(static_cast<double>(free->value))
                              : Number::none((root / "proc/meminfo").string() + ": not readable");
  return counters;
}

nlohmann::json to_json(const HostCounters& counters, Reasons reasons) {
  nlohmann::json object = nlohmann::json::object();
  visit_counters(counters, [&](const char* name, const Number& reading) {
    if (reading || reasons == Reasons::written) {
      write_reading(object, name, reading);
    }
  });
  if (counters.threads) {
    nlohmann::json& threads = object["threads"] = nlohmann::json::object();
    for (const ThreadClock& clock : *counters.threads) {
      threads[clock.name] = {clock.threads, clock.running, clock.waiting};
    }
  } else if (reasons == Reasons::written) {
    object["unknown"]["threads"] = counters.threads.why_not();
  }
  return object;
}

Result<HostCounters> to_host_counters(const nlohmann::json& object) {
  if (!object.is_object()) {
    return Failure{"the counters of a host: expected an object"};
  }
  HostCounters counters;
  visit_counters(counters, [&object](const char* name, Number& reading) {
    read_reading(object, name, reading);
  });
  counters.threads = read_threads(object);
  return counters;
}

}  // namespace qanat
