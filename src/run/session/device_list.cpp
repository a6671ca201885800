#include "session/device_list.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/utf8.h"
#include "locale/messages/command_output.h"
#include "locale/messages/devices.h"
#include "session/run_devices.h"
#include "torch_binding/torch_binding.h"

namespace qanat {
namespace {

std::int64_t to_megabytes(Bytes bytes) {
  return bytes.value / (1024 * 1024);
}

// One folder per GPU below proc/driver/nvidia/gpus.
int count_driver_gpus(const std::filesystem::path& root) {
  std::error_code error;
  std::filesystem::directory_iterator entries(root / "proc/driver/nvidia/gpus", error);
  return error ? 0 : static_cast<int>(std::distance(begin(entries), end(entries)));
}

ListedDevice listed(const Device& device, int threads) {
  return {.id = device.id(),
          .description = device.description(),
          .threads = threads,
          .memory = device.memory().use().limit};
}

// Made as a run would make them: two at a time, the first two as data and model GPU.
std::vector<ListedDevice> make_and_list(const RunConfig& config,
                                        const HostFacts& host,
                                        const Hardware& hardware) {
  const Hardware usable{.cuda_gpus = hardware.cuda_gpus, .virtual_gpus = hardware.virtual_gpus};
  const int gpus = std::max(hardware.cuda_gpus, hardware.virtual_gpus);
  if (gpus < 2) {
    const DevicePlan plan = plan_devices({}, usable);
    const RunDevices devices = make_devices(config, plan, host);
    return {listed(*devices.model, devices.cores.model_threads)};
  }
  std::vector<ListedDevice> all;
  for (int index = 0; index < gpus; ++index) {
    RunConfig two = config;
    two.data.data_gpu = index;
    two.data.model_gpu = (index + 1) % gpus;
    const DevicePlan plan = plan_devices(two, usable);
    const RunDevices devices = make_devices(two, plan, host);
    all.push_back(listed(*devices.data, devices.cores.data_threads));
  }
  return all;
}

std::string no_gpu_advice(const DeviceList& list, const Translator& words) {
  if (list.driver_gpus > 0) {
    return fmt::format(
        "{}\n{}\n",
        words.tr(msg::devices_driver_gpus{.count = list.driver_gpus, .reason = list.no_cuda}),
        words.tr(msg::devices_on_cpu{}));
  }
  return fmt::format("{}\n{}\n  qanat validate --virtual-gpus 2 --data-gpu 0 --model-gpu 1\n",
                     words.tr(msg::devices_no_gpu{.reason = list.no_cuda}),
                     words.tr(msg::devices_try_virtual{}));
}

Message cores_of(const HostFacts& host) {
  const Message cores = host.online_cores
                            ? Message(msg::devices_cores{.allowed = allowed_cores(host),
                                                         .online = *host.online_cores})
                            : Message(msg::devices_cores_of_unknown{allowed_cores(host)});
  return host.cpu_quota
             ? Message(msg::devices_quota{.cores = cores, .quota = plain(*host.cpu_quota, 1)})
             : cores;
}

Message memory_of(Bytes ceiling, const std::optional<Bytes>& free) {
  const auto megabytes = [](Bytes bytes) -> Message {
    return msg::devices_megabytes{plain(static_cast<double>(to_megabytes(bytes)), 0)};
  };
  return free ? Message(
                    msg::devices_memory_free{.total = megabytes(ceiling), .free = megabytes(*free)})
              : megabytes(ceiling);
}

template <typename T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json or_null(const std::optional<Bytes>& bytes) {
  return bytes ? nlohmann::json(to_megabytes(*bytes)) : nlohmann::json();
}

}  // namespace

DeviceList list_devices(const RunConfig& config,
                        const HostFacts& host,
                        const std::filesystem::path& root) {
  const Hardware hardware = find_hardware(config);
  DeviceList list{.host = host,
                  .libtorch = torch_version(),
                  .libtorch_has_cuda = torch_built_with_cuda(),
                  .no_cuda = hardware.no_cuda,
                  .driver_gpus = count_driver_gpus(root),
                  .devices = make_and_list(config, host, hardware)};
  if (!list.no_cuda && hardware.cuda_gpus == 0) {
    list.no_cuda = msg::no_cuda_build{};
  }
  return list;
}

std::string render_text(const DeviceList& list, const Translator& words) {
  std::string text;
  const auto add = [&](const MessageArg& name, const MessageArg& value) {
    constexpr std::size_t kColumn = 11;
    const std::string said = words.said(name);
    const std::size_t columns = std::min(decode_utf8(said).size(), kColumn - 1);
    text += fmt::format("{}{:{}}{}\n", said, "", kColumn - columns, words.said(value));
  };
  add(msg::devices_cpu{}, cores_of(list.host));
  if (const std::optional<Bytes> ceiling = memory_ceiling(list.host)) {
    add(msg::devices_memory{}, memory_of(*ceiling, free_memory(list.host)));
  }
  add("libtorch",
      list.libtorch_has_cuda ? Message(msg::devices_with_cuda{list.libtorch})
                             : Message(msg::devices_without_cuda{list.libtorch}));
  for (const ListedDevice& device : list.devices) {
    add(to_string(device.id), device.description);
  }
  if (list.devices.front().id.kind == DeviceKind::cpu) {
    text += '\n' + no_gpu_advice(list, words);
  }
  return text;
}

nlohmann::json to_json(const DeviceList& list) {
  nlohmann::json devices = nlohmann::json::array();
  for (const ListedDevice& device : list.devices) {
    devices.push_back({{"id", to_string(device.id)},
                       {"description", Translator().tr(device.description)},
                       {"emulated", device.id.kind == DeviceKind::virtual_gpu},
                       {"threads", device.threads},
                       {"memory_mb", or_null(device.memory)}});
  }
  const HostFacts& host = list.host;
  return {
      {"host",
       {{"cores", allowed_cores(host)},
        {"online_cores", or_null(host.online_cores)},
        {"cpu_quota", or_null(host.cpu_quota)},
        {"memory_mb", or_null(memory_ceiling(host))},
        {"free_memory_mb", or_null(free_memory(host))}}},
      {"libtorch", list.libtorch},
      {"cuda", list.libtorch_has_cuda},
      {"no_cuda", list.no_cuda ? nlohmann::json(Translator().tr(list.no_cuda)) : nlohmann::json()},
      {"driver_gpus", list.driver_gpus},
      {"devices", devices}};
}

}  // namespace qanat
