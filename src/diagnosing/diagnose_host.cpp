#include "diagnosing/diagnose_host.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "app/loader_options.h"
#include "monitor/resident_memory.h"

namespace qanat {
namespace {

constexpr double kMegabyte = 1024 * 1024;

// "cores online     8", or why that is not known.
void add(DiagnosisSection& section,
         std::string_view name,
         const Reading<double>& reading,
         std::string_view unit = "",
         double scale = 1) {
  section.lines.push_back(reading ? fmt::format("{:<17} {:.6g}{}", name, *reading / scale, unit)
                                  : fmt::format("{:<17} unknown: {}", name, reading.why_not()));
  if (reading.is_unlimited()) {
    section.lines.back() = fmt::format("{:<17} no limit", name);
  }
}

void add(DiagnosisSection& section, std::string_view name, const Reading<std::string>& reading) {
  section.lines.push_back(
      fmt::format("{:<17} {}", name, reading ? *reading : "unknown: " + reading.why_not()));
}

void add_share(DiagnosisSection& section, std::string_view name, const Reading<double>& share) {
  section.lines.push_back(share ? fmt::format("{:<17} {:.1f} % of the time", name, 100 * *share)
                                : fmt::format("{:<17} unknown: {}", name, share.why_not()));
}

void add_gpus(const GpuTrace& gpus, DiagnosisSection& section) {
  if (!gpus.setup) {
    section.lines.push_back(fmt::format("{:<17} none seen: {}", "GPUs", gpus.setup.why_not()));
    return;
  }
  for (const GpuFacts& gpu : (*gpus.setup).gpus) {
    section.lines.push_back(fmt::format("{:<17} {} at {}, {:.0f} MB, driver {}",
                                        "GPU",
                                        gpu.name.value().value_or("unnamed"),
                                        gpu.bus_id.value().value_or("an unknown place"),
                                        gpu.memory.value().value_or(0) / kMegabyte,
                                        (*gpus.setup).driver));
  }
}

bool is_in_path(std::string_view program) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

std::string espeak_line(const RunConfig& config) {
  if (is_in_path("espeak-ng")) {
    return fmt::format("{:<17} found", "espeak-ng");
  }
  return fmt::format("{:<17} not found; {}",
                     "espeak-ng",
                     config.data.use_phonemes
                         ? "data.use_phonemes needs it: install the package espeak-ng"
                         : "not needed: data.use_phonemes is off");
}

}  // namespace

DiagnosisSection hardware_section(const RunTrace& trace) {
  DiagnosisSection section{.name = "hardware"};
  if (!trace.host) {
    section.skipped = "the host could not be looked at";
    return section;
  }
  const HostSetup& setup = trace.host->setup;
  section.lines.push_back(fmt::format("{:<17} {}", "cores to use", cores_of(setup)));
  add(section, "cores online", setup.online_cores);
  add(section, "affinity", setup.affinity_cores, " cores");
  add(section, "quota", setup.cpu_quota, " cores");
  add(section, "memory", setup.total_memory, " MB", kMegabyte);
  add(section, "memory limit", setup.memory_limit, " MB", kMegabyte);
  add(section, "swap area", setup.swap, " MB", kMegabyte);
  add(section, "memory nodes", setup.numa_nodes);
  add(section, "governor", setup.governor);
  add(section, "page-locked", setup.locked_memory, " MB", kMegabyte);
  add(section, "/dev/shm", setup.shared_memory, " MB", kMegabyte);
  section.figures = {{"host", to_json(setup)}};
  if (trace.gpus) {
    add_gpus(*trace.gpus, section);
    section.figures["gpus"] = trace.gpus->setup
                                  ? to_json(*trace.gpus->setup)
                                  : nlohmann::json{{"unknown", trace.gpus->setup.why_not()}};
  }
  return section;
}

DiagnosisSection runtime_section(const RunTrace& trace, const RunConfig& config) {
  DiagnosisSection section{.name = "runtime"};
  section.lines.push_back(espeak_line(config));
  if (!trace.host) {
    section.skipped = "the host was not looked at while something ran";
    return section;
  }
  const HostTrace& host = *trace.host;
  add_share(section, "quota used up", host.share(&HostCounters::throttled));
  const Reading<double> own_group = host.share(&HostCounters::group_cpu_some);
  add_share(
      section, "waits for cores", own_group ? own_group : host.share(&HostCounters::cpu_some));
  if (const Reading<Neighbours> others = host.neighbours()) {
    section.lines.push_back(fmt::format("{:<17} {:.2f} of {:.0f} cores, {:.2f} stolen",
                                        "other programs",
                                        (*others).others,
                                        (*others).cores,
                                        (*others).stolen));
  }
  add_share(section, "stalls for disk", host.share(&HostCounters::io_full));
  add_share(section, "stalls for memory", host.share(&HostCounters::memory_full));
  add(section, "swapped in", host.share(&HostCounters::swapped_in), " MB/s", 1e6);
  add(section, "from storage", host.share(&HostCounters::storage_bytes), " MB/s", 1e6);
  if (const auto threads = host.threads()) {
    for (const ThreadClock& clock : *threads) {
      if (clock.running + clock.waiting > 0.01 * host.seconds()) {
        section.lines.push_back(
            fmt::format("thread {:<10} {} x, runs on {:.2f} cores, waits for {:.2f} more",
                        clock.name,
                        clock.threads,
                        clock.running / host.seconds(),
                        clock.waiting / host.seconds()));
      }
    }
  }
  add_share(section, "looking cost", host.cost_share());
  section.figures = {{"seconds", host.seconds()}, {"counters", to_json(host.last)}};
  return section;
}

DiagnosisSection memory_section(const RunConfig& config,
                                const HostFacts& host,
                                const RunTrace& trace) {
  DiagnosisSection section{.name = "memory"};
  const auto megabytes = [](Bytes bytes) { return static_cast<double>(bytes.value) / kMegabyte; };
  const auto line = [&](std::string_view name, const std::optional<Bytes>& bytes) {
    section.lines.push_back(bytes ? fmt::format("{:<17} {:.0f} MB", name, megabytes(*bytes))
                                  : fmt::format("{:<17} unknown", name));
  };
  line("may be used", memory_ceiling(host));
  line("free now", free_memory(host));
  line("batches, at most", make_loader_options(config, host, 1).budget);
  line("feature cache", feature_cache_budget(config, host));
  line("most so far", peak_resident_memory());
  if (trace.pipeline) {
    line("batches took", trace.pipeline->window.allocated);
  }
  return section;
}

}  // namespace qanat
