#include "telemetry/prometheus_machine.h"

#include <array>
#include <bit>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

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
  out.family("psi_stall_seconds_total",
             "counter",
             "Time in which some, or all, tasks of the machine waited for a resource.");
  for (const Stall& stall : kStalls) {
    out.sample(counter_at(counters, stall.counter),
               {{"resource", stall.resource}, {"kind", stall.kind}});
  }
}

// Looks a key up in a map, such as the newest reading of a GPU by its name.
std::optional<double> value_in(const auto& values, const auto& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

// A sample for each GPU that has such a reading, of the family that was begun.
void write_readings(Exposition& out, std::span<const GpuTotals> gpus, const char* name) {
  for (const GpuTotals& gpu : gpus) {
    out.sample(value_in(gpu.latest, name), {{"gpu", gpu.id}});
  }
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
  out.family("gpu_kernel_resident_ratio",
             "gauge",
             "Share of the last moments in which a kernel was there.");
  write_readings(out, gpus, "kernels_resident");
  out.family("gpu_power_watts", "gauge", "Power drawn.");
  write_readings(out, gpus, "power");
  out.family("gpu_temperature_celsius", "gauge", "Temperature of the chip.");
  write_readings(out, gpus, "temperature");
  out.family("gpu_memory_used_bytes", "gauge", "Memory in use, by any process.");
  write_readings(out, gpus, "memory_used");
  out.family("gpu_clock_hertz", "gauge", "Clocks now.");
  for (const GpuTotals& gpu : gpus) {
    out.sample(value_in(gpu.latest, "clock"), {{"gpu", gpu.id}, {"domain", "sm"}});
    out.sample(value_in(gpu.latest, "memory_clock"), {{"gpu", gpu.id}, {"domain", "memory"}});
  }
}

void write_limits(Exposition& out, std::span<const GpuTotals> gpus) {
  out.family("gpu_clock_limited_seconds_total",
             "counter",
             "Time in which clocks were held back, by reason.");
  for (const GpuTotals& gpu : gpus) {
    for (const ClockLimit limit : all_clock_limits()) {
      const int bit = std::countr_zero(static_cast<std::uint64_t>(limit));
      out.sample(value_in(gpu.limited, bit),
                 {{"gpu", gpu.id}, {"reason", to_label(to_string(limit))}});
    }
  }
}

void write_errors(Exposition& out, std::span<const GpuTotals> gpus) {
  out.family("gpu_ecc_errors_total", "counter", "Errors of memory since the driver was loaded.");
  for (const GpuTotals& gpu : gpus) {
    out.sample(value_in(gpu.latest, "uncorrected_errors"),
               {{"gpu", gpu.id}, {"kind", "uncorrected"}});
  }
  out.family("gpu_pcie_replays_total",
             "counter",
             "Packets sent again over PCI Express since the driver was loaded.");
  write_readings(out, gpus, "link_replays");
  out.family("gpu_xid_errors_total", "counter", "Errors that the driver reported.");
  for (const GpuTotals& gpu : gpus) {
    for (const auto& [xid, count] : gpu.xids) {
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
  out.counter("cgroup_throttled_seconds_total",
              "Time in which the control group's quota held threads back, summed over cores.",
              counter_at(counters, "throttled"));
  write_stalls(out, counters);
}

void write_gpus(Exposition& out, std::span<const GpuTotals> gpus) {
  write_gauges(out, gpus);
  out.family("gpu_energy_joules_total", "counter", "Energy, from the power of the samples.");
  for (const GpuTotals& gpu : gpus) {
    out.sample(gpu.energy, {{"gpu", gpu.id}});
  }
  write_limits(out, gpus);
  write_errors(out, gpus);
}

void write_findings(Exposition& out, const ScrapeContext& context) {
  out.gauge("recoverable_ratio",
            "Share of the step time that the first finding can save.",
            context.recoverable);
  out.family("finding_active", "gauge", "1: the rule found something; 0: all is well.");
  for (const FindingState& finding : context.findings) {
    out.sample(finding.active ? 1 : 0, {{"id", finding.id}, {"severity", finding.severity}});
  }
}

}  // namespace qanat
