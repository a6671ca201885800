// What NVML says of a GPU: what it is, and what it does now. Values; lines of kind "devices" of
// the journal carry them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "monitor/reading.h"

namespace qanat {

struct GpuFacts {
  Reading<std::string> bus_id;  // "0000:65:00.0", as below /sys/bus/pci/devices
  Reading<std::string> uuid;
  Reading<std::string> name;
  Reading<double> numa_node;     // of the slot
  Reading<double> memory;        // bytes
  Reading<double> clock_max;     // of the multiprocessors, Hz
  Reading<double> link_gen_max;  // of PCI Express
  Reading<double> link_width_max;
  Reading<double> power_limit;  // W
  Reading<double> persistence;  // 1: the driver stays loaded without clients

  bool operator==(const GpuFacts&) const = default;
};

template <typename Facts, typename Visitor>
void visit_facts(Facts& facts, Visitor&& visit) {
  visit("bus_id", facts.bus_id);
  visit("uuid", facts.uuid);
  visit("name", facts.name);
  visit("numa_node", facts.numa_node);
  visit("memory", facts.memory);
  visit("clock_max", facts.clock_max);
  visit("link_gen_max", facts.link_gen_max);
  visit("link_width_max", facts.link_width_max);
  visit("power_limit", facts.power_limit);
  visit("persistence", facts.persistence);
}

// Why the clocks are lower than they could be; bits of GpuSample::limits.
enum class ClockLimit : std::uint64_t {
  idle = 0x1,
  application = 0x2,
  power_cap = 0x4,
  hardware = 0x8,
  sync_boost = 0x10,
  thermal = 0x20,
  hardware_thermal = 0x40,
  power_brake = 0x80,
  display = 0x100,
};
std::string_view to_string(ClockLimit limit);
const std::vector<ClockLimit>& all_clock_limits();

struct GpuSample {
  Reading<double> kernels_resident;  // share of the last moments in which a kernel was there
  Reading<double> memory_used;       // bytes
  Reading<double> clock;             // Hz
  Reading<double> memory_clock;      // Hz
  Reading<double> power;             // W
  Reading<double> temperature;       // degrees C
  Reading<double> limits;            // bits of ClockLimit
  Reading<double> link_gen;
  Reading<double> link_width;
  Reading<double> link_replays;        // since the driver was loaded
  Reading<double> uncorrected_errors;  // of memory, since the driver was loaded
  Reading<double> remap_pending;       // 1: rows of memory wait for a reset to be replaced
  Reading<double> remap_failed;        // 1: a row could not be replaced
  Reading<double> xid;                 // last error since the sample before; absent: none
  Reading<double> other_processes;     // that compute on it
  Reading<double> lost;                // 1: the driver cannot reach it any more

  bool operator==(const GpuSample&) const = default;
};

template <typename Sample, typename Visitor>
void visit_sample(Sample& s, Visitor&& visit) {
  visit("kernels_resident", s.kernels_resident);
  visit("memory_used", s.memory_used);
  visit("clock", s.clock);
  visit("memory_clock", s.memory_clock);
  visit("power", s.power);
  visit("temperature", s.temperature);
  visit("limits", s.limits);
  visit("link_gen", s.link_gen);
  visit("link_width", s.link_width);
  visit("link_replays", s.link_replays);
  visit("uncorrected_errors", s.uncorrected_errors);
  visit("remap_pending", s.remap_pending);
  visit("remap_failed", s.remap_failed);
  visit("xid", s.xid);
  visit("other_processes", s.other_processes);
  visit("lost", s.lost);
}

// Whether two GPUs can copy to each other without the host.
struct GpuPair {
  int first = 0;  // places in GpuSetup::gpus
  int second = 0;
  Reading<double> peer_copies;  // 1: yes
  Reading<double> distance;     // 10 one switch ... 50 different sockets

  bool operator==(const GpuPair&) const = default;
};

struct GpuSetup {
  std::string driver;            // version; empty: not said
  Reading<double> cuda_version;  // the driver's, 12020 is 12.2
  Reading<std::string> visible;  // CUDA_VISIBLE_DEVICES
  Reading<std::string> order;    // CUDA_DEVICE_ORDER
  std::vector<GpuFacts> gpus;
  std::vector<GpuPair> pairs;

  bool operator==(const GpuSetup&) const = default;
};

nlohmann::json to_json(const GpuSetup& setup);
Result<GpuSetup> to_gpu_setup(const nlohmann::json& object);

// Without reasons: those of the setup hold for a run. Absent readings are absent.
nlohmann::json to_json(const std::vector<GpuSample>& samples);
Result<std::vector<GpuSample>> to_gpu_samples(const nlohmann::json& array);

}  // namespace qanat
