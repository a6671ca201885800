// What this machine offers a run, as `qanat devices` shows it. Values only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/device_id.h"
#include "base/message.h"
#include "config/run_config.h"
#include "locale/translator.h"
#include "monitor/host_facts.h"

namespace qanat {

struct ListedDevice {
  DeviceId id;
  Message description;
  int threads = 0;
  std::optional<Bytes> memory;
};

struct DeviceList {
  HostFacts host;
  std::string libtorch;  // "1.13.1"
  bool libtorch_has_cuda = false;
  Message no_cuda;      // why there are no CUDA devices; says nothing when there are
  int driver_gpus = 0;  // NVIDIA GPUs the kernel driver knows, whatever this build can use
  std::vector<ListedDevice>
      devices;  // as --data-gpu and --model-gpu count them; without any: the CPU
};

// `root` is where the kernel's files are looked for; tests point it at a tree of their own.
DeviceList list_devices(const RunConfig& config,
                        const HostFacts& host,
                        const std::filesystem::path& root = "/");

std::string render_text(const DeviceList& list, const Translator& words);
nlohmann::json to_json(const DeviceList& list);

}  // namespace qanat
