#include "telemetry/prometheus_machine.h"

#include <array>
#include <bit>
#include <cctype>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "monitor/gpu_sample.h"

namespace qanat {
namespace {

std::optional<double> counter_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}

struct Stall {
  const char* counter;
  const char* resource;
  const char* kind;
};
constexpr std::array kStalls{Stall{"cpu_some", "cpu", "some"},
                             Stall{"io_some", "io", "some"},
                             Stall{"io_full", "io", "full"},
                             Stall{"memory_some", "memory", "some"},
                             Stall{"memory_full", "memory", "full"}};

void write_stalls(Exposition& out, const nlohmann::json& counters) {
  bool first = true;
  for (const Stall& stall : kStalls) {
    const std::optional<double> seconds = counter_at(counters, stall.counter);
    if (!seconds) {
      continue;
    }
    if (std::exchange(first, false)) {
      out.family("psi_stall_seconds_total",
                 "counter",
                 "Time in which some, or all, tasks of the machine waited for a resource.");
    }
    out.sample(*seconds, {{"resource", stall.resource}, {"kind", stall.kind}});
  }
}

// One family with a sample for each GPU that has such a reading.
struct GpuFamily {
  const char* name;
  const char* type;
  const char* help;
};
using GpuValue = std::function<std::optional<double>(const GpuTotals&)>;

void write_family(Exposition& out,
                  std::span<const GpuTotals> gpus,
                  const GpuFamily& family,
                  const GpuValue& value,
                  std::pair<std::string_view, std::string_view> label = {}) {
  bool first = true;
  for (const GpuTotals& gpu : gpus) {
    const std::optional<double> known = value(gpu);
    if (!known) {
      continue;
    }
    if (std::exchange(first, false)) {
      out.family(family.name, family.type, family.help);
    }
    if (label.first.empty()) {
      out.sample(*known, {{"gpu", gpu.id}});
    } else {
      out.sample(*known, {{"gpu", gpu.id}, label});
    }
  }
}

GpuValue reading(const char* name) {
  return [name](const GpuTotals& gpu) {
    const auto found = gpu.latest.find(name);
    return found == gpu.latest.end() ? std::nullopt : std::optional(found->second);
  };
}

// "temperature (hardware)" -> "temperature_hardware"
std::string to_label(std::string_view words) {
  std::string label;
  for (const char c : words) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      label += c;
    } else if (!label.empty() && label.back() != '_') {
      label += '_';
    }
  }
  while (label.ends_with('_')) {
    label.pop_back();
  }
  return label;
}

void write_gauges(Exposition& out, std::span<const GpuTotals> gpus) {
  write_family(out,
               gpus,
               {"gpu_kernel_resident_ratio",
                "gauge",
                "Share of the last moments in which a kernel was there."},
               reading("kernels_resident"));
  write_family(out, gpus, {"gpu_power_watts", "gauge", "Power drawn."}, reading("power"));
  write_family(out,
               gpus,
               {"gpu_temperature_celsius", "gauge", "Temperature of the chip."},
               reading("temperature"));
  write_family(out,
               gpus,
               {"gpu_memory_used_bytes", "gauge", "Memory in use, by any process."},
               reading("memory_used"));
}

void write_clocks(Exposition& out, std::span<const GpuTotals> gpus) {
  bool first = true;
  for (const GpuTotals& gpu : gpus) {
    for (const auto& [name, domain] :
         {std::pair("clock", "sm"), std::pair("memory_clock", "memory")}) {
      const auto found = gpu.latest.find(name);
      if (found == gpu.latest.end()) {
        continue;
      }
      if (std::exchange(first, false)) {
        out.family("gpu_clock_hertz", "gauge", "Clocks now.");
      }
      out.sample(found->second, {{"gpu", gpu.id}, {"domain", domain}});
    }
  }
}

void write_limits(Exposition& out, std::span<const GpuTotals> gpus) {
  bool first = true;
  for (const GpuTotals& gpu : gpus) {
    for (const ClockLimit limit : all_clock_limits()) {
      const int bit = std::countr_zero(static_cast<std::uint64_t>(limit));
      const auto found = gpu.limited.find(bit);
      if (found == gpu.limited.end()) {
        continue;
      }
      if (std::exchange(first, false)) {
        out.family("gpu_clock_limited_seconds_total",
                   "counter",
                   "Time in which clocks were held back, by reason.");
      }
      out.sample(found->second, {{"gpu", gpu.id}, {"reason", to_label(to_string(limit))}});
    }
  }
}

void write_errors(Exposition& out, std::span<const GpuTotals> gpus) {
  write_family(out,
               gpus,
               {"gpu_ecc_errors_total", "counter", "Errors of memory since the driver was loaded."},
               reading("uncorrected_errors"),
               {"kind", "uncorrected"});
  write_family(out,
               gpus,
               {"gpu_pcie_replays_total",
                "counter",
                "Packets sent again over PCI Express since the driver was loaded."},
               reading("link_replays"));
  bool first = true;
  for (const GpuTotals& gpu : gpus) {
    for (const auto& [xid, count] : gpu.xids) {
      if (std::exchange(first, false)) {
        out.family("gpu_xid_errors_total", "counter", "Errors that the driver reported.");
      }
      out.sample(static_cast<double>(count), {{"gpu", gpu.id}, {"xid", std::to_string(xid)}});
    }
  }
}

}  // namespace

void write_host(Exposition& out, const RunSnapshot& run) {
  if (!run.host || !run.host->counters || !run.host->counters->is_object()) {
    return;
  }
  const nlohmann::json& counters = *run.host->counters;
  if (const std::optional<double> throttled = counter_at(counters, "throttled")) {
    out.counter("cgroup_throttled_seconds_total",
                "Time in which the control group's quota held threads back, summed over cores.",
                *throttled);
  }
  write_stalls(out, counters);
}

void write_gpus(Exposition& out, std::span<const GpuTotals> gpus) {
  write_gauges(out, gpus);
  write_clocks(out, gpus);
  write_family(out,
               gpus,
               {"gpu_energy_joules_total", "counter", "Energy, from the power of the samples."},
               [](const GpuTotals& gpu) { return gpu.energy; });
  write_limits(out, gpus);
  write_errors(out, gpus);
}

void write_findings(Exposition& out, const ScrapeContext& context) {
  if (context.recoverable) {
    out.gauge("recoverable_ratio",
              "Share of the step time that the first finding says can be won.",
              *context.recoverable);
  }
  if (context.findings.empty()) {
    return;
  }
  out.family("finding_active", "gauge", "1: the rule found something; 0: all is well.");
  for (const FindingState& finding : context.findings) {
    out.sample(finding.active ? 1 : 0, {{"id", finding.id}, {"severity", finding.severity}});
  }
}

}  // namespace qanat
