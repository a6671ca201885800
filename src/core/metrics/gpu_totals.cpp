#include "metrics/gpu_totals.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace qanat {
namespace {

// More than any machine has, and than any sample of ours holds.
constexpr std::size_t kMaxGpus = 64;
constexpr std::size_t kMaxReadings = 32;
constexpr std::size_t kMaxXids = 32;
constexpr int kLimitBits = 16;

// GPU-5a1b2c3d-... -> GPU-5a1b2c3d
std::string short_id(const nlohmann::json& gpu, std::size_t place) {
  const auto uuid = gpu.is_object() ? gpu.find("uuid") : gpu.end();
  if (!gpu.is_object() || uuid == gpu.end() || !uuid->is_string()) {
    return std::to_string(place);
  }
  const auto text = uuid->get<std::string>();
  const std::size_t first = text.find('-');
  return text.substr(0, first == std::string::npos ? first : text.find('-', first + 1));
}

std::vector<GpuTotals> named_gpus(const nlohmann::json& setup) {
  std::vector<GpuTotals> gpus;
  const auto listed = setup.find("gpus");
  if (listed == setup.end() || !listed->is_array()) {
    return gpus;
  }
  for (std::size_t i = 0; i < std::min(listed->size(), kMaxGpus); ++i) {
    std::string id = short_id((*listed)[i], i);
    if (std::ranges::find(gpus, id, &GpuTotals::id) != gpus.end()) {
      id += fmt::format("-{}", i);  // parts of a card share what is before
    }
    gpus.push_back({.id = std::move(id)});
  }
  return gpus;
}

}  // namespace

void GpuCounters::add(const GpuSamples& seen, Seconds at) {
  const std::optional<nlohmann::json>& samples = seen.samples;
  if (seen.setup && seen.setup->is_object()) {
    gpus_ = named_gpus(*seen.setup);
    sampled_.reset();
  }
  if (!samples || !samples->is_array()) {
    return;
  }
  const Seconds since = sampled_ ? std::max(Seconds{0}, at - *sampled_) : Seconds{0};
  for (std::size_t i = 0; i < std::min(samples->size(), kMaxGpus); ++i) {
    if (i >= gpus_.size()) {
      gpus_.push_back({.id = std::to_string(i)});
    }
    if ((*samples)[i].is_object()) {
      add_sample(gpus_[i], (*samples)[i], since);
    }
  }
  sampled_ = at;
}

// What a sample says holds since the one before.
void GpuCounters::add_sample(GpuTotals& gpu, const nlohmann::json& sample, Seconds since) {
  const auto power_before = gpu.latest.find("power");
  const std::optional<double> watts_before =
      power_before == gpu.latest.end() ? std::nullopt : std::optional(power_before->second);
  gpu.latest.clear();
  for (const auto& [name, value] : sample.items()) {
    if (value.is_number() && gpu.latest.size() < kMaxReadings) {
      gpu.latest[name] = value.get<double>();
    }
  }
  if (const auto power = gpu.latest.find("power"); power != gpu.latest.end()) {
    const double watts = (power->second + watts_before.value_or(power->second)) / 2;
    gpu.energy = gpu.energy.value_or(0) + watts * since.count();
  }
  if (const auto limits = gpu.latest.find("limits"); limits != gpu.latest.end()) {
    const auto bits = static_cast<std::uint64_t>(std::max(0.0, limits->second));
    for (int bit = 0; bit < kLimitBits; ++bit) {
      gpu.limited[bit] += (bits >> bit & 1U) != 0 ? since.count() : 0;
    }
  }
  if (const auto xid = gpu.latest.find("xid"); xid != gpu.latest.end()) {
    const auto number = static_cast<int>(std::lround(xid->second));
    if (gpu.xids.contains(number) || gpu.xids.size() < kMaxXids) {
      ++gpu.xids[number];
    }
  }
}

}  // namespace qanat
