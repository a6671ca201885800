#include "monitor/host_setup.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>

#include "monitor/cgroup.h"
#include "monitor/file_system.h"
#include "monitor/kernel_files.h"
#include "monitor/reading_json.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;
using Number = Reading<double>;
using Word = Reading<std::string>;

Number to_number(std::optional<std::int64_t> value, const fs::path& path) {
  return value ? Number(static_cast<double>(*value)) : Number::none(malformed(path));
}

Number list_length(const fs::path& path) {
  const Result<std::string> text = read_kernel_text(path);
  if (!text) {
    return Number::none(text.failure().what);
  }
  return to_number(count_list(text.value()), path);
}

Number affinity(const fs::path& root) {
  const fs::path path = root / "proc/self/status";
  const Result<std::string> status = read_kernel_text(path);
  if (!status) {
    return Number::none(status.failure().what);
  }
  const auto list = value_after(status.value(), "Cpus_allowed_list:");
  return to_number(list ? count_list(*list) : std::nullopt, path);
}

Word core_nodes(const fs::path& root) {
  const std::string status = read_kernel_file(root / "proc/self/status").value_or("");
  const std::string allowed(value_after(status, "Cpus_allowed_list:").value_or(""));
  const fs::path folder = root / "sys/devices/system/node";
  std::set<int> nodes;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    const auto number = name.starts_with("node") ? to_integer(name.substr(4)) : std::nullopt;
    const std::string cores = read_kernel_file(at->path() / "cpulist").value_or("");
    if (number && lists_meet(cores, allowed)) {
      nodes.insert(static_cast<int>(*number));
    }
  }
  if (nodes.empty()) {
    return Word::none(folder.string() + ": no node names a core of this process");
  }
  return fmt::format("{}", fmt::join(nodes, ","));
}

// "MemTotal:       16306564 kB"
Number meminfo(const fs::path& root, std::string_view key) {
  const fs::path path = root / "proc/meminfo";
  const Result<std::string> text = read_kernel_text(path);
  if (!text) {
    return Number::none(text.failure().what);
  }
  const std::optional<std::string_view> value = value_after(text.value(), key);
  if (!value || !value->ends_with(" kB")) {
    return Number::none(malformed(path));
  }
  const Number kib = to_number(to_integer(value->substr(0, value->size() - 3)), path);
  return kib ? Number(*kib * 1024) : kib;
}

// "Max locked memory         8388608              8388608              bytes"
Number locked_memory(const fs::path& root) {
  const fs::path path = root / "proc/self/limits";
  const Result<std::string> text = read_kernel_text(path);
  if (!text) {
    return Number::none(text.failure().what);
  }
  const std::optional<std::string_view> line = value_after(text.value(), "Max locked memory");
  const std::vector<std::string_view> fields =
      line ? words(*line) : std::vector<std::string_view>();
  if (fields.empty()) {
    return Number::none(malformed(path));
  }
  return fields[0] == "unlimited" ? Number::none(std::string(kNoLimit))
                                  : to_number(to_integer(fields[0]), path);
}

Number shared_memory(const fs::path& root) {
  const fs::path path = root / "dev/shm";
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0) {
    return Number::none(path.string() + ": cannot be looked at");
  }
  return static_cast<double>(status.f_blocks) * static_cast<double>(status.f_frsize);
}

// What the cores say in a file of cpufreq, each answer once.
Word of_all_cores(const fs::path& root, const char* file) {
  const fs::path folder = root / "sys/devices/system/cpu";
  std::set<std::string> answers;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (const auto text = read_kernel_file(at->path() / "cpufreq" / file)) {
      answers.insert(std::string(trimmed(*text)));
    }
  }
  if (answers.empty()) {
    return Word::none("no core has a folder cpufreq; a virtual machine does not show it");
  }
  return fmt::format("{}", fmt::join(answers, ","));
}

Number limit_of(const std::optional<double>& limit, const fs::path& root) {
  if (limit) {
    return *limit;
  }
  const Result<std::string> groups = read_kernel_text(root / "proc/self/cgroup");
  return Number::none(groups ? std::string(kNoLimit) : groups.failure().what);
}

Word file_system(const fs::path& root, const fs::path& data) {
  if (data.empty()) {
    return Word::none("no data folder was given");
  }
  const Reading<FileSystem> found = find_file_system(root, data);
  return found ? Word((*found).kind) : Word::none(found.why_not());
}

}  // namespace

HostSetup read_host_setup(const fs::path& root, const fs::path& data) {
  const CgroupLimits limits = read_cgroup_limits(root);
  const std::optional<double> memory =
      limits.memory_limit ? std::optional(static_cast<double>(limits.memory_limit->value))
                          : std::nullopt;
  return {.online_cores = list_length(root / "sys/devices/system/cpu/online"),
          .affinity_cores = affinity(root),
          .cpu_quota = limit_of(limits.cpu_quota, root),
          .total_memory = meminfo(root, "MemTotal:"),
          .memory_limit = limit_of(memory, root),
          .swap = meminfo(root, "SwapTotal:"),
          .locked_memory = locked_memory(root),
          .shared_memory = shared_memory(root),
          .numa_nodes = list_length(root / "sys/devices/system/node/online"),
          .core_nodes = core_nodes(root),
          .governor = of_all_cores(root, "scaling_governor"),
          .clock_driver = of_all_cores(root, "scaling_driver"),
          .data_file_system = file_system(root, data)};
}

int cores_of(const HostSetup& setup) {
  constexpr double kMax = 1 << 20;
  const double cores = std::min({setup.online_cores.value().value_or(kMax),
                                 setup.affinity_cores.value().value_or(kMax),
                                 std::floor(setup.cpu_quota.value().value_or(kMax))});
  return cores >= kMax ? 1 : std::max(static_cast<int>(cores), 1);
}

nlohmann::json to_json(const HostSetup& setup) {
  nlohmann::json object = nlohmann::json::object();
  visit_setup(setup, [&object](const char* name, const auto& reading) {
    write_reading(object, name, reading);
  });
  return object;
}

Result<HostSetup> to_host_setup(const nlohmann::json& object) {
  if (!object.is_object()) {
    return Failure{"the setup of a host: expected an object"};
  }
  HostSetup setup;
  visit_setup(setup,
              [&object](const char* name, auto& reading) { read_reading(object, name, reading); });
  return setup;
}

}  // namespace qanat
